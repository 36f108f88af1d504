/// The reason why an answer can't be read. What follows the answer on its connection can't be read either.
package enum RESPError: Error, Equatable {
    /// The bytes ended before or within an answer.
    case ended
    /// The bytes are no answer, or exceed a limit.
    case invalid(String)
}

/// Cuts the bytes of a connection into answers. It may be given any bytes.
///
/// Bytes after an answer are kept for the next one. Memory grows only with the bytes that have come, not with the lengths
/// that they announce.
package struct RESPReader {
    /// The limits on answers, in bytes, and on the depth of values in values.
    package struct Limits {
        /// The longest string, by default Redis' own limit.
        fileprivate let stringBytes: Int
        /// The longest answer, with everything in it.
        fileprivate let answerBytes: Int
        fileprivate let lineBytes: Int
        fileprivate let depth: Int

        package init(
            stringBytes: Int = 512 << 20, answerBytes: Int = 1 << 30, lineBytes: Int = 64 << 10, depth: Int = 16
        ) {
            self.stringBytes = stringBytes
            self.answerBytes = answerBytes
            self.lineBytes = lineBytes
            self.depth = depth
        }
    }

    private let limits: Limits
    private var bytes: [UInt8] = []
    private var start = 0
    /// The number of bytes left for the answer that is being read.
    private var room = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Reads the next answer. Messages that the server sends by itself (pushes), and attributes, are skipped.
    ///
    /// - Parameter more: returns the next bytes; none at the end of the input.
    /// - Throws: `RESPError`, or an error of `more`.
    package mutating func next(_ more: () throws -> [UInt8]) throws -> RESPValue {
        room = limits.answerBytes
        while true {
            if let value = try value(depth: 0, more) { return value }
        }
    }

    /// Reads a value; nil for a push or an attribute.
    private mutating func value(depth: Int, _ more: () throws -> [UInt8]) throws -> RESPValue? {
        guard depth < limits.depth else { throw RESPError.invalid("more than \(limits.depth) values in each other") }
        let line = try line(more)
        guard let kind = line.first else { throw RESPError.invalid("an empty line") }
        let rest = line.dropFirst()
        switch kind {
        case UInt8(ascii: "+"), UInt8(ascii: "("), UInt8(ascii: ","): return .bytes(Array(rest))
        case UInt8(ascii: "-"): return .error(String(decoding: rest, as: UTF8.self))
        case UInt8(ascii: ":"): return .integer(try integer(rest))
        case UInt8(ascii: "#"):
            guard rest.elementsEqual("t".utf8) || rest.elementsEqual("f".utf8) else { throw Self.strange(line) }
            return .boolean(rest.elementsEqual("t".utf8))
        case UInt8(ascii: "_"):
            guard rest.isEmpty else { throw Self.strange(line) }
            return .null
        case UInt8(ascii: "$"): return try length(rest).map { .bytes(try string($0, more)) } ?? .null
        case UInt8(ascii: "!"):
            guard let length = try length(rest) else { throw Self.strange(line) }
            return .error(String(decoding: try string(length, more), as: UTF8.self))
        case UInt8(ascii: "="):
            guard let length = try length(rest) else { throw Self.strange(line) }
            let text = try string(length, more)
            // "txt:" or "mkd:".
            guard text.count >= 4, text[3] == UInt8(ascii: ":") else {
                throw RESPError.invalid("a text without format")
            }
            return .bytes(Array(text.dropFirst(4)))
        case UInt8(ascii: "*"), UInt8(ascii: "~"):
            return try length(rest).map { .array(try values($0, depth: depth, more)) } ?? .null
        case UInt8(ascii: "%"):
            guard let length = try length(rest) else { throw Self.strange(line) }
            return .array(try values(length * 2, depth: depth, more))
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            guard let length = try length(rest) else { throw Self.strange(line) }
            _ = try values(kind == UInt8(ascii: "|") ? length * 2 : length, depth: depth, more)
            return nil
        default: throw Self.strange(line)
        }
    }

    private mutating func values(_ count: Int, depth: Int, _ more: () throws -> [UInt8]) throws -> [RESPValue] {
        var values: [RESPValue] = []
        while values.count < count {
            if let value = try value(depth: depth + 1, more) { values.append(value) }
        }
        return values
    }

    private func integer(_ text: ArraySlice<UInt8>) throws -> Int64 {
        guard let value = Int64(String(decoding: text, as: UTF8.self)) else { throw Self.strange(text) }
        return value
    }

    /// Reads a length; nil for -1, the null of RESP2.
    private func length(_ text: ArraySlice<UInt8>) throws -> Int? {
        let length = try integer(text)
        if length == -1 { return nil }
        guard length >= 0, length <= limits.stringBytes else {
            throw RESPError.invalid("a length of \(length): the most is \(limits.stringBytes)")
        }
        return Int(length)
    }

    private static func strange(_ line: some Collection<UInt8>) -> RESPError {
        .invalid("'\(String(decoding: line.prefix(40), as: UTF8.self))'")
    }

    // MARK: Bytes

    /// Reads a line. Returns a copy, as a slice would make all bytes be copied when more come.
    private mutating func line(_ more: () throws -> [UInt8]) throws -> [UInt8] {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: 0x0A) {
                guard end > start, bytes[end - 1] == 0x0D else { throw RESPError.invalid("a line without CR") }
                let line = Array(bytes[start..<end - 1])
                guard line.count <= limits.lineBytes else { throw RESPError.invalid("a long line") }
                try spend(end + 1 - start)
                start = end + 1
                return line
            }
            let count = bytes.count - start
            guard count <= limits.lineBytes else { throw RESPError.invalid("a long line") }
            try fill(more)
            searched = start + count
        }
    }

    private mutating func string(_ count: Int, _ more: () throws -> [UInt8]) throws -> [UInt8] {
        try spend(count + 2)
        while bytes.count - start < count + 2 { try fill(more) }
        let end = start + count
        guard bytes[end] == 0x0D, bytes[end + 1] == 0x0A else { throw RESPError.invalid("a string without an end") }
        defer { start = end + 2 }
        return Array(bytes[start..<end])
    }

    private mutating func fill(_ more: () throws -> [UInt8]) throws {
        let piece = try more()
        guard !piece.isEmpty else { throw RESPError.ended }
        // Only here, so that many short answers in a piece aren't moved once for each.
        if start == bytes.count {
            // This frees the memory of a long answer.
            bytes = piece
        } else {
            bytes.removeSubrange(..<start)
            bytes += piece
        }
        start = 0
    }

    private mutating func spend(_ count: Int) throws {
        room -= count
        guard room >= 0 else { throw RESPError.invalid("an answer of more than \(limits.answerBytes) bytes") }
    }
}
