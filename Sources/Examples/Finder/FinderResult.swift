/// A file that a finder has found, or a line of one.
public struct FinderResult: Codable, Sendable, Equatable, Identifiable {
    /// What matches: from one UTF-8 byte of a text up to another.
    public struct Match: Codable, Sendable, Equatable {
        /// The first byte, from 0.
        public var start: Int
        /// The one behind the last.
        public var end: Int
    }

    /// The path, and of a line its number.
    public var id: String
    /// Below the finder's folder. Bytes that aren't UTF-8 are shown as U+FFFD.
    public var path: String
    /// The number of the line, from 1; absent of a file.
    public var line: Int?
    /// The line, or the part of a long one that matches; absent of a file.
    public var text: String?
    /// How well the path matches, by fzf's rules; absent of a line.
    public var score: Int?
    /// What matches, in UTF-8 bytes of `text` where there is one, and otherwise of `path`; in order.
    public var matches: [Match]
    /// The bytes of a path that isn't UTF-8.
    private var bytes: [UInt8]?

    private enum CodingKeys: CodingKey {
        case id, path, line, text, score, matches
    }

    /// The bytes of the path.
    var pathBytes: [UInt8] { bytes ?? Array(path.utf8) }

    /// - Parameter matcher: is given the path.
    init(_ entry: FuzzyRanking.Entry, by matcher: inout FuzzyMatcher) {
        let path = entry.batch.path(at: entry.index)
        self.init(path: path)
        matcher.text.set(folder: [], name: path[...])
        _ = matcher.match()
        if matcher.pattern.hasScores { score = entry.rank.score }
        for position in matcher.positions() {
            let end = position + Self.width(ofCharacterAt: position, in: self.path)
            if matches.last?.end == position {
                matches[matches.count - 1].end = end
            } else {
                matches.append(Match(start: position, end: end))
            }
        }
    }

    init(_ line: MatchingLine, in path: [UInt8]) {
        self.init(path: path)
        id += ":\(line.number)"
        self.line = line.number
        text = line.text
        matches = line.matches.map { Match(start: $0.lowerBound, end: $0.upperBound) }
    }

    private init(path: [UInt8]) {
        let text = String(decoding: path, as: UTF8.self)
        let isValid = text.utf8.elementsEqual(path)
        self.path = text
        // Two paths that are shown as the same text are still two.
        id = isValid ? text : "\(text)?" + path.map { String($0, radix: 16) }.joined(separator: ".")
        matches = []
        bytes = isValid ? nil : path
    }

    private static func width(ofCharacterAt offset: Int, in text: String) -> Int {
        let rest = text.utf8.dropFirst(offset + 1)
        return 1 + rest.prefix { $0 & 0xC0 == 0x80 }.count
    }
}

/// The answer to an event of a finder's View that makes no sense.
public enum FinderFailure: Error, Equatable, CustomStringConvertible {
    /// There is no such result.
    case noResult(index: Int, count: Int)
    /// The file was there, but is no more.
    case gone(path: String)
    /// Such a text isn't searched.
    case tooLong(maximum: Int)

    /// A sentence for the user.
    public var description: String {
        switch self {
        case .noResult(_, 0): "there is no result"
        case .noResult(let index, let count): "there is no result \(index): they go from 0 to \(count - 1)"
        case .gone(let path): "\(path) is gone"
        case .tooLong(let maximum): "the text is longer than \(maximum) bytes"
        }
    }
}
