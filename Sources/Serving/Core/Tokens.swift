/// The tokens by which clients are let in: one without a name for all, or one for each principal.
///
/// A file of tokens has one of two forms: one line without a blank in it, which is the token of all; or lines
/// `NAME TOKEN`, with blanks between. Lines that are empty or begin with `#` are left out.
package struct Tokens: Sendable {
    /// The answer to a client that has carried a token, or none.
    package enum Verdict: Equatable {
        case refused
        /// The principal is the token's name, where it has one.
        case accepted(principal: String?)
    }

    /// Why a file of tokens can't be taken.
    package struct Mistake: Error, Equatable {
        /// Counts from 1; nil for the file as a whole.
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
        /// Where it was in its file.
        var line = 1
    }

    /// The fewest bytes of a token that a server asks for.
    package static let shortest = 16
    private static let longestName = 64

    private var entries: [Entry]

    package init(_ token: Token) {
        entries = [Entry(principal: nil, token: token)]
    }

    /// - Throws: for a line of neither form, a name that can't be or is there twice, a token that is too short or there twice,
    ///   and a file without a token. No reason quotes a token.
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
        // Perhaps a token, where the two were exchanged.
        guard isName, name.utf8.count <= Self.longestName else {
            throw Reason(text: "a name has letters, digits and . _ - @ + only, and at most \(Self.longestName) of them")
        }
        if let other = entries.first(where: { $0.principal == name }) {
            throw Reason(text: "\(name) has a token already, in line \(other.line)")
        }
    }

    /// The names of the principals, in the order of the file; empty for the token of all.
    package var principals: [String] { entries.compactMap(\.principal) }

    /// The one token that there is, for a client in this process; nil where there are several.
    package var only: Token? { entries.count == 1 ? entries[0].token : nil }

    /// Compares with every token, whether one was equal before or not, each in constant time.
    package func judge(_ given: String?) -> Verdict {
        var verdict = Verdict.refused
        for entry in entries where entry.token.matches(given) { verdict = .accepted(principal: entry.principal) }
        return verdict
    }
}
