/// The tokens by which clients are let in: a single one without a name for everybody, or one for each principal.
///
/// A file of tokens has one of two forms: one line without a blank in it, which is the token of all; or lines
/// `NAME TOKEN`, with blanks between. Lines that are empty or begin with `#` are left out.
package struct Tokens: Sendable {
    /// The verdict on the token of a client, or on its lack of one.
    package enum Verdict: Equatable {
        case refused
        /// The principal is the token's name, where it has one.
        case accepted(principal: String?)
    }

    /// The reason why a file of tokens is refused.
    package struct Mistake: Error, Equatable {
        /// The line of the mistake, counted from 1; nil for the file as a whole.
        package let line: Int?
        package let reason: String

        package init(line: Int?, reason: String) {
            self.line = line
            self.reason = reason
        }
    }

    private struct Entry {
        let principal: String?
        let token: Token
        /// The line of the token in its file, counted from 1.
        var line = 1
    }

    /// The least length in bytes of a token that a server accepts.
    package static let shortest = 16
    private static let longestName = 64

    private var entries: [Entry]

    package init(_ token: Token) {
        entries = [Entry(principal: nil, token: token)]
    }

    /// Reads a file of tokens.
    ///
    /// - Throws: for a line of neither form, an invalid or repeated name, a token that is too short or repeated, and a file
    ///   without a token. No reason quotes a token.
    package init(file text: String) throws(Mistake) {
        entries = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do throws(Reason) {
                try add(words, line: index + 1)
            } catch {
                throw Mistake(line: index + 1, reason: error.text)
            }
        }
        if entries.isEmpty { throw Mistake(line: nil, reason: "there is no token in it") }
    }

    /// Makes the tokens of several principals.
    ///
    /// - Throws: as `init(file:)`, without a line.
    package init(principals: [String: String]) throws(Mistake) {
        entries = []
        for (name, token) in principals.sorted(by: { $0.key < $1.key }) {
            do throws(Reason) {
                guard !token.contains(where: \.isWhitespace) else { throw Reason(text: "a token has no blanks") }
                try add([name, token], line: entries.count + 1)
            } catch {
                throw Mistake(line: nil, reason: error.text)
            }
        }
        if entries.isEmpty { throw Mistake(line: nil, reason: "there is no principal") }
    }

    private struct Reason: Error {
        let text: String
    }

    private mutating func add(_ words: [String], line: Int) throws(Reason) {
        if words.count == 1, entries.isEmpty {
            entries = Token(words[0]).map { [Entry(principal: nil, token: $0, line: line)] } ?? []
            return
        }
        if let alone = entries.first(where: { $0.principal == nil }) {
            throw Reason(text: "a token without a name is in line \(alone.line); then it is the only one")
        }
        guard words.count == 2, let token = Token(words[1]) else {
            throw Reason(text: "expected NAME TOKEN, or one line with nothing but a token; a token has no blanks")
        }
        try check(words[0])
        guard token.byteCount >= Self.shortest else {
            let advice = "make \(Self.shortest) or more at random"
            throw Reason(text: "the token of \(words[0]) has \(token.byteCount) bytes; \(advice)")
        }
        for other in entries where other.token.matches(words[1]) {
            let owner = other.principal ?? "all"
            throw Reason(text: "the token of \(words[0]) is that of \(owner), too, in line \(other.line)")
        }
        entries.append(Entry(principal: words[0], token: token, line: line))
    }

    private func check(_ name: String) throws(Reason) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "._-@+".utf8.contains(byte)
            }
        }
        // The wrong name may be a token, where the two were exchanged, so the reason doesn't quote it.
        guard isName, name.utf8.count <= Self.longestName else {
            throw Reason(text: "a name has letters, digits and . _ - @ + only, and at most \(Self.longestName) of them")
        }
        if let other = entries.first(where: { $0.principal == name }) {
            throw Reason(text: "\(name) has a token already, in line \(other.line)")
        }
    }

    /// The names of the principals, in the order of the file; empty where one token is for everybody.
    package var principals: [String] { entries.compactMap(\.principal) }

    /// The single token, for a client in this process; nil where there are several.
    package var only: Token? { entries.count == 1 ? entries[0].token : nil }

    /// Returns whether a client with this token is let in. Compares with every token, even after a match, each in constant
    /// time.
    package func judge(_ given: String?) -> Verdict {
        var verdict = Verdict.refused
        for entry in entries where entry.token.matches(given) { verdict = .accepted(principal: entry.principal) }
        return verdict
    }
}
