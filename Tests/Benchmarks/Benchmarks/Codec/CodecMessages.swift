import JSON

/// The messages on the wire, as types for both codecs.
enum CodecMessages {
    enum ViewEvent: Codable {
        case increment(by: Int)
        case reset
    }

    enum ViewModelEvent: Codable {
        case count(Int)
        case rows([Row])
    }

    struct Row: Codable {
        var id: Int
        var name: String
        var status: String
        var total: Double
    }

    struct Request: Codable {
        struct Params: Codable {
            var session: Int
            var event: ViewEvent
        }

        var jsonrpc = "2.0"
        var id = 123_456
        var method = "view/event"
        var params = Params(session: 1, event: CodecMessages.increment)
    }

    struct Notification: Encodable {
        struct Params: Encodable {
            var session = 1
            var seq = 123_456
            var event = CodecMessages.count
        }

        var jsonrpc = "2.0"
        var method = "viewModel/event"
        var params = Params()
    }

    static let increment = ViewEvent.increment(by: 1)
    static let count = ViewModelEvent.count(123_456)
    static let loaded = ViewModelEvent.rows(rows)
    static let rows = (0..<100).map { Row(id: $0, name: "Order #\($0)", status: "shipped", total: 123.45) }
}

/// Text to decode again and again.
struct JSONText {
    let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The output of this package's encoders.
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

/// Writes again and again into the same memory, as a connection does.
final class OutputText {
    private var writer = JSONWriter()

    func write(_ body: (inout JSONWriter) throws -> Void) rethrows {
        writer.truncate(to: 0)
        try body(&writer)
    }
}
