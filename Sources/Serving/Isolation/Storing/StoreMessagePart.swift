/// A part of the messages about the store between a server and the process of a client. Both are the same executable, so the
/// format has no version. But the process runs view models, so the server trusts no length that it sends.
protocol StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed)
    func write(to writer: inout StoreMessageWriter)
}

/// Writes the parts of a message one after the other.
struct StoreMessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func append(_ number: Int) {
        withUnsafeBytes(of: Int64(number).littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: [UInt8]) {
        append(text.count)
        bytes.append(contentsOf: text)
    }

    mutating func append(_ text: String) {
        append(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append<Value>(_ value: Value?, _ appendValue: (inout Self, Value) -> Void) {
        append(value != nil)
        if let value { appendValue(&self, value) }
    }

    mutating func append(_ part: some StoreMessagePart) { part.write(to: &self) }

    mutating func append(_ parts: [some StoreMessagePart]) {
        append(parts.count)
        for part in parts { part.write(to: &self) }
    }
}

/// Reads the parts of a message in the order in which they were written.
struct StoreMessageReader {
    struct Malformed: Error {}

    private var rest: UnsafeRawBufferPointer

    /// - Parameter message: borrowed for as long as the reader is used.
    init(_ message: UnsafeRawBufferPointer) {
        rest = message
    }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func take(_ count: Int) throws(Malformed) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest.count else { throw Malformed() }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }

    mutating func bool() throws(Malformed) -> Bool { try take(1).first == 1 }

    mutating func int() throws(Malformed) -> Int {
        Int(Int64(littleEndian: try take(8).loadUnaligned(as: Int64.self)))
    }

    mutating func text() throws(Malformed) -> [UInt8] { Array(try take(try int())) }

    mutating func string() throws(Malformed) -> String {
        let bytes = try take(try int())
        guard let string = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return string
    }

    mutating func optional<Value>(
        _ value: (inout Self) throws(Malformed) -> Value
    ) throws(Malformed) -> Value? {
        try bool() ? try value(&self) : nil
    }

    mutating func part<Part: StoreMessagePart>(_ type: Part.Type = Part.self) throws(Malformed) -> Part {
        try Part(from: &self)
    }

    mutating func parts<Part: StoreMessagePart>(_ type: Part.Type = Part.self) throws(Malformed) -> [Part] {
        let count = try int()
        // Each part takes at least a byte, so no memory is reserved for parts that can't come.
        guard count >= 0, count <= rest.count else { throw Malformed() }
        var parts: [Part] = []
        for _ in 0..<count { parts.append(try Part(from: &self)) }
        return parts
    }
}
