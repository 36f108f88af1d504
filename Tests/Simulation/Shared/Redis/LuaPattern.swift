/// A pattern of Lua, matched as Lua does it, but for sets, `%b` and `%f`, which are errors.
struct LuaPattern {
    struct Found {
        let range: Range<Int>
        /// Without any in the pattern, all that it has matched.
        let captures: [String]
    }

    private struct Capture {
        let start: Int
        /// Nil while its parenthesis is open.
        var end: Int?
    }

    private let pattern: [UInt8]
    private let isPlain: Bool
    private let isAnchored: Bool

    init(_ pattern: String, isPlain: Bool = false) {
        (self.pattern, self.isPlain) = (Array(pattern.utf8), isPlain)
        isAnchored = !isPlain && self.pattern.first == UInt8(ascii: "^")
    }

    /// The first match from a place on.
    func match(_ text: [UInt8], from first: Int = 0) throws -> Found? {
        guard first <= text.count else { return nil }
        for start in first...text.count {
            var captures: [Capture] = []
            if let end = try match(text, start, isAnchored ? 1 : 0, &captures) {
                var ranges = captures.map { $0.start..<($0.end ?? $0.start) }
                if ranges.isEmpty { ranges = [start..<end] }
                return Found(
                    range: start..<end, captures: ranges.map { String(decoding: text[$0], as: UTF8.self) })
            }
            if isAnchored { break }
        }
        return nil
    }

    /// All matches, one behind the other.
    func matches(_ text: [UInt8]) throws -> [Found] {
        var (found, place): ([Found], Int) = ([], 0)
        while let next = try match(text, from: place) {
            found.append(next)
            if isAnchored { break }
            place = next.range.isEmpty ? next.range.upperBound + 1 : next.range.upperBound
        }
        return found
    }

    /// Returns where the match of the pattern's rest ends.
    private func match(
        _ text: [UInt8], _ at: Int, _ place: Int, _ captures: inout [Capture]
    ) throws -> Int? {
        guard place < pattern.count else { return at }
        switch isPlain ? 0 : pattern[place] {
        case UInt8(ascii: "("):
            let count = captures.count
            captures.append(Capture(start: at))
            if let end = try match(text, at, place + 1, &captures) { return end }
            captures.removeLast(captures.count - count)
            return nil
        case UInt8(ascii: ")"):
            guard let open = captures.lastIndex(where: { $0.end == nil }) else { throw LuaError("malformed pattern") }
            captures[open].end = at
            if let end = try match(text, at, place + 1, &captures) { return end }
            captures[open].end = nil
            return nil
        case UInt8(ascii: "$") where place + 1 == pattern.count: return at == text.count ? at : nil
        default: return try matchItem(text, at, place, &captures)
        }
    }

    private func matchItem(
        _ text: [UInt8], _ at: Int, _ place: Int, _ captures: inout [Capture]
    ) throws -> Int? {
        let isClass = !isPlain && pattern[place] == UInt8(ascii: "%")
        let rest = place + (isClass ? 2 : 1)
        guard rest <= pattern.count else { throw LuaError("malformed pattern") }
        func fits(_ at: Int) throws -> Bool { try at < text.count && isOne(text[at], pattern[rest - 1], isClass) }
        switch isPlain || rest == pattern.count ? 0 : pattern[rest] {
        case UInt8(ascii: "*"), UInt8(ascii: "+"):
            let least = pattern[rest] == UInt8(ascii: "+") ? at + 1 : at
            var end = at
            while try fits(end) { end += 1 }
            while end >= least {
                if let found = try match(text, end, rest + 1, &captures) { return found }
                end -= 1
            }
            return nil
        case UInt8(ascii: "?"):
            if try fits(at), let found = try match(text, at + 1, rest + 1, &captures) { return found }
            return try match(text, at, rest + 1, &captures)
        case UInt8(ascii: "-"): throw LuaError("the shortest match isn't known here")
        default: return try fits(at) ? match(text, at + 1, rest, &captures) : nil
        }
    }

    private func isOne(_ byte: UInt8, _ wanted: UInt8, _ isClass: Bool) throws -> Bool {
        if isPlain { return byte == wanted }
        guard isClass else {
            if wanted == UInt8(ascii: "[") { throw LuaError("sets of characters aren't known here") }
            return wanted == UInt8(ascii: ".") || byte == wanted
        }
        switch wanted {
        case UInt8(ascii: "d"): return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        case UInt8(ascii: "u"): return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        case UInt8(ascii: "l"): return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        case UInt8(ascii: "s"): return Self.isSpace(byte)
        case UInt8(ascii: "S"): return !Self.isSpace(byte)
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            throw LuaError("a class of characters that isn't known here")
        default: return byte == wanted
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
