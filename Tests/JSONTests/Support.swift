import JSON

/// Lends the bytes to `body` with exact bounds, in memory of their own.
func withBytes<R>(_ bytes: some Sequence<UInt8>, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try Array(bytes).withUnsafeBytes(body)
}

/// The error of validating `text`; nil when it is valid.
func validationError(_ text: some Sequence<UInt8>, maximumDepth: Int = 512) -> JSONError? {
    withBytes(text) { bytes in
        do throws(JSONError) {
            _ = try JSONValue(validating: bytes, maximumDepth: maximumDepth)
            return nil
        } catch {
            return error
        }
    }
}

/// Reads a value out of a text that must be valid.
func read<R>(_ text: String, _ body: (JSONValue) throws -> R) throws -> R {
    try withBytes(text.utf8) { try body(JSONValue(validating: $0)) }
}

func written(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
    var writer = JSONWriter(capacity: 1)
    try body(&writer)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
}

/// SplitMix64: the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
