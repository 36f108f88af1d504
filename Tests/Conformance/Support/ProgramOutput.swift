import Glibc

/// What a program wrote to one of its streams and nobody has looked at yet.
struct ProgramOutput {
    private(set) var isAtEnd = false
    private var bytes: [UInt8] = []
    private let end: Pipe.End

    init(_ end: Pipe.End) {
        self.end = end
    }

    /// For `poll`, which ignores a negative one.
    var descriptor: Int32 { isAtEnd ? -1 : end.number }

    var rest: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads what is there, or notes the end.
    mutating func take() throws {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(end.number, &chunk, chunk.count)
        if count < 0 { throw SystemFailure("read") }
        if count == 0 { isAtEnd = true }
        bytes += chunk[..<count]
    }

    /// A line without its end (`\n` or `\r\n`); nil when there is none yet. What comes after the last one is a line at the
    /// output's end.
    mutating func nextLine() -> String? {
        guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            guard isAtEnd, !bytes.isEmpty else { return nil }
            defer { bytes = [] }
            return rest
        }
        var line = bytes[..<newline]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        defer { bytes.removeSubrange(...newline) }
        return String(decoding: line, as: UTF8.self)
    }
}
