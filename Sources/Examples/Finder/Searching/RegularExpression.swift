#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An extended regular expression, matched in UTF-8 by the C library, in a time that the length of the line bounds.
///
/// glibc tries an expression at each place of a line, and from there may read on to the line's end before it fails: half a
/// minute for 64 KiB, in one call that nothing ends. So of lines that aren't short it is asked first whether they match at
/// all, which takes one pass; then for a match at one place after the other, as long as there is time. The other C libraries
/// take one pass by themselves.
///
/// Confined to the task that made it.
package final class RegularExpression {
    /// What is found in a line.
    package enum Found: Equatable {
        case matches([Range<Int>])
        /// It matches, though finding out where would take too long.
        case somewhere
        case nothing
        /// Finding out would take too long.
        case tooLong
    }

    /// In these it takes a few milliseconds at worst, with a usual expression.
    private static let shortLine = 256
    private static let firstPass = 1_024
    private let testTime: Duration
    private let searchTime: Duration

    private let whole: CompiledExpression
    /// Matches at the first byte that it is given, or not at all. Nil where `whole` takes one pass.
    private let anchored: CompiledExpression?
    /// Matches behind the first character that it is given, or not at all: so it knows whether a word begins there.
    private let inside: CompiledExpression?
    /// Says whether there is a match.
    private let test: CompiledExpression?

    /// - Parameters:
    ///   - testTime: of a processor. A line whose test takes longer is left out. A call that has begun then takes twice as long at most.
    ///   - searchTime: for the places of the matches in a line.
    /// - Throws: where it isn't well-formed, in the C library's words.
    package init(
        _ text: String, ignoresCase: Bool, testTime: Duration = .milliseconds(100),
        searchTime: Duration = .milliseconds(20)
    ) throws(TextQuery.Invalid) {
        self.testTime = testTime
        self.searchTime = searchTime
        let flags = ignoresCase ? REG_ICASE : 0
        (whole, anchored, inside, test) = try UTF8Locale.isUsed { () throws(TextQuery.Invalid) in
            let whole = try CompiledExpression(text, flags)
            #if canImport(Glibc)
            // Unlike ^, \` is the beginning of what it is given also where that isn't the line's.
            let part = "(\(RegularExpressionShape.escapingUnmatched(text)))"
            return (
                whole, try CompiledExpression("\\`\(part)", flags), try CompiledExpression("\\`.\(part)", flags),
                try CompiledExpression("\\`.*\(part)", flags | REG_NOSUB)
            )
            #else
            return (whole, nil, nil, nil)
            #endif
        }
    }

    /// The first matches in a line.
    ///
    /// - Parameters:
    ///   - line: ends with a NUL, which isn't part of it. The bytes are changed while this runs.
    ///   - beginsLine: whether `^` matches at its first byte.
    ///   - endsLine: whether `$` matches at its end.
    package func search(
        _ line: UnsafeMutableBufferPointer<UInt8>, beginsLine: Bool, endsLine: Bool, maximum: Int
    ) -> Found {
        guard let base = line.baseAddress, line.count > 0 else { return .nothing }
        let line = Line(
            base: base, count: line.count - 1, begins: beginsLine ? 0 : REG_NOTBOL, ends: endsLine ? 0 : REG_NOTEOL)
        return UTF8Locale.isUsed {
            guard line.count > Self.shortLine, let anchored, let inside, let test else {
                let matches = matches(maximum) { start in
                    guard whole.note(line.count - start) else { return nil }
                    return whole.match(base + start, line.flags(from: start)).map {
                        start + $0.lowerBound..<start + $0.upperBound
                    }
                }
                return matches.isEmpty ? .nothing : .matches(matches)
            }
            // In what isn't UTF-8 no period matches, and so no test.
            let isValid = line.isValid
            if isValid {
                guard let isThere = passes(test, line) else { return .tooLong }
                if !isThere { return .nothing }
            }
            var isLate = false
            let deadline = Self.threadTime + searchTime
            let matches = matches(maximum) { start in
                match(anchored, isValid ? inside : anchored, in: line, from: start, until: deadline, &isLate)
            }
            // They have read no more than what they had time for.
            for expression in [anchored, inside] { _ = expression.note(Self.firstPass) }
            if !matches.isEmpty { return .matches(matches) }
            return isLate ? isValid ? .somewhere : .tooLong : .nothing
        }
    }

    /// - Parameter next: the first match from a place on.
    private func matches(_ maximum: Int, _ next: (Int) -> Range<Int>?) -> [Range<Int>] {
        var (matches, start) = ([Range<Int>](), 0)
        while matches.count < maximum, let match = next(start) {
            matches.append(match)
            start = match.isEmpty ? match.upperBound + 1 : match.upperBound
        }
        return matches
    }

    /// Whether there is a match; nil where that would take too long. What the expression takes for each byte grows with the
    /// bytes at times, so the beginning of a long line is tried first.
    private func passes(_ test: CompiledExpression, _ line: Line) -> Bool? {
        let deadline = Self.threadTime + testTime
        var count = min(Self.firstPass, line.count)
        while true {
            guard test.note(count) else { return false }
            let isThere = line.withEnd(at: count) { test.match(line.base, line.begins | $0) != nil }
            if count == line.count { return isThere }
            if Self.threadTime >= deadline { return nil }
            count = min(2 * count, line.count)
        }
    }

    private func match(
        _ anchored: CompiledExpression, _ inside: CompiledExpression, in line: Line, from first: Int,
        until deadline: Duration, _ isLate: inout Bool
    ) -> Range<Int>? {
        var start = first
        while start <= line.count, !isLate {
            if line.beginsCharacter(at: start) {
                let isInside = start > 0 && inside !== anchored
                let base = isInside ? line.character(before: start) : start
                let match = (isInside ? inside : anchored).match(line.base + base, line.flags(from: base))
                if let match { return start..<max(start, base + match.upperBound) }
                isLate = Self.threadTime >= deadline
            }
            start += 1
        }
        return nil
    }

    /// What the thread has had of a processor: a busy machine leaves out no more lines than an idle one.
    private static var threadTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Bytes with a NUL behind them.
    private struct Line {
        let base: UnsafeMutablePointer<UInt8>
        let count: Int
        let begins: CInt
        let ends: CInt

        func flags(from start: Int) -> CInt { (start == 0 ? begins : REG_NOTBOL) | ends }

        func beginsCharacter(at place: Int) -> Bool { base[place] & 0xC0 != 0x80 }

        /// Where the character before a place begins.
        func character(before place: Int) -> Int {
            var place = place - 1
            while place > 0, !beginsCharacter(at: place) { place -= 1 }
            return place
        }

        var isValid: Bool {
            let bytes = UnsafeBufferPointer(start: base, count: count)
            return bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
        }

        /// Has the bytes end earlier while `body` runs, which is given the flags for that.
        func withEnd<Value>(at end: Int, _ body: (CInt) -> Value) -> Value {
            let byte = base[end]
            base[end] = 0
            defer { base[end] = byte }
            return body(end == count ? ends : REG_NOTEOL)
        }
    }
}
