import JSON

/// Text to decode again and again.
struct JSONText {
    let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Of what this package's encoders write.
    init(writing body: (inout JSONWriter) throws -> Void) rethrows {
        var writer = JSONWriter()
        try body(&writer)
        bytes = writer.takeBytes()
    }

    /// Reads it, as is done with each message that comes.
    func read<Result>(_ body: (JSONValue) throws -> Result) throws -> Result {
        try bytes.withUnsafeBytes { try body(try JSONValue(validating: $0)) }
    }
}
