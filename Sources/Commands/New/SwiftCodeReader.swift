/// Finds the comments and string literals of a Swift file, and puts spaces in their places; line breaks stay.
struct SwiftCodeReader {
    private(set) var uncommented: [UInt8]
    private(set) var bare: [UInt8]
    private let bytes: [UInt8]
    private var index = 0

    /// Deeper strings in strings are taken for text.
    private static let maximumDepth = 20
    private static let lineComment = Array("//".utf8)
    private static let commentStart = Array("/*".utf8)
    private static let commentEnd = Array("*/".utf8)
    private static let multilineQuotes = Array("\"\"\"".utf8)

    init(_ text: String) {
        bytes = Array(text.utf8)
        uncommented = bytes
        bare = bytes
    }

    /// - Parameter depth: in how many strings this code stands; where it is in one, it ends with the parenthesis that closes
    ///   it.
    mutating func readCode(depth: Int) {
        var parentheses = 0
        while index < bytes.count {
            let start = index
            if starts(with: Self.lineComment) {
                while index < bytes.count, !bytes[index].isLineBreak { index += 1 }
                blank(start, isComment: true)
            } else if starts(with: Self.commentStart) {
                skipComment()
                blank(start, isComment: true)
            } else if let hashes = quotedAfterHashes() {
                skipString(hashes: hashes, depth: depth)
                blank(start, isComment: false)
            } else {
                index += 1
                if bytes[start] == UInt8(ascii: "(") { parentheses += 1 }
                if bytes[start] == UInt8(ascii: ")") { parentheses -= 1 }
                if depth > 0, parentheses < 0 { return }
            }
        }
    }

    /// They may stand in each other.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if starts(with: Self.commentStart) {
                depth += 1
                index += 2
            } else if starts(with: Self.commentEnd) {
                depth -= 1
                index += 2
            } else {
                index += 1
            }
        } while depth > 0 && index < bytes.count
    }

    /// How many `#` stand before the quote that begins a string here; nil where none does.
    private func quotedAfterHashes() -> Int? {
        let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
        return bytes.dropFirst(index + hashes).first == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func skipString(hashes: Int, depth: Int) {
        index += hashes
        let isMultiline = starts(with: Self.multilineQuotes)
        let quotes = isMultiline ? Self.multilineQuotes : [UInt8(ascii: "\"")]
        let hashes = Array(repeating: UInt8(ascii: "#"), count: hashes)
        index += quotes.count
        while index < bytes.count, isMultiline || !bytes[index].isLineBreak {
            if starts(with: quotes + hashes) {
                index += quotes.count + hashes.count
                return
            }
            guard starts(with: [UInt8(ascii: "\\")] + hashes) else {
                index += 1
                continue
            }
            index += 1 + hashes.count
            guard index < bytes.count, !bytes[index].isLineBreak else { continue }
            let isInterpolation = bytes[index] == UInt8(ascii: "(")
            index += 1
            if isInterpolation, depth < Self.maximumDepth { readCode(depth: depth + 1) }
        }
    }

    private mutating func blank(_ start: Int, isComment: Bool) {
        // An unfinished comment may end in the middle of what ends it.
        index = min(index, bytes.count)
        for place in start..<index where !bytes[place].isLineBreak {
            bare[place] = UInt8(ascii: " ")
            if isComment { uncommented[place] = UInt8(ascii: " ") }
        }
    }

    private func starts(with part: [UInt8]) -> Bool {
        bytes[min(index, bytes.count)...].starts(with: part)
    }
}
