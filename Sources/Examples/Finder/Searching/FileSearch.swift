/// Finds a text in one file after the other, in memory that doesn't depend on their size.
///
/// Confined to the task that made it.
struct FileSearch {
    enum Outcome: Equatable {
        /// The file was read, and `lines` had a part of what was found, or nothing.
        case searched
        /// It has a NUL in its first 8 KiB.
        case binary
        case unreadable
    }

    /// A line that is longer is searched in pieces: a regular expression doesn't match across two of them.
    private static let blockBytes = 1 << 16
    private static let headBytes = 1 << 13
    /// How many lines are passed on at once.
    static let maximumLines = 200

    private let lineSearch: LineSearch
    /// What was left out, of all files so far.
    private(set) var leftOut = TextSearch.LeftOut()
    private let folder = LastFolder()
    /// With a byte to spare for a NUL.
    private var block = [UInt8](repeating: 0, count: blockBytes + 1)

    init(_ query: TextQuery) throws {
        lineSearch = try LineSearch(query)
    }

    /// - Parameter deliver: is given the matching lines in order, up to 200 at a time.
    /// - Throws: `CancellationError` soon after the task is cancelled.
    mutating func search(
        _ path: [UInt8], below root: RootFolder, deliver: ([MatchingLine]) async -> Void
    ) async throws -> Outcome {
        guard let file = folder.open(path, below: root) else { return .unreadable }
        var place = Place()
        var lines: [MatchingLine] = []
        // Bytes of the block that belong to the next part.
        var count = 0
        var isHead = true
        while true {
            try Task.checkCancellation()
            guard let isAtEnd = fill(from: file, &count) else { return .unreadable }
            if isHead, block[..<min(count, Self.headBytes)].contains(0) { return .binary }
            isHead = false
            let lineSearch = lineSearch
            var leftOut = leftOut
            let searched = try block.withUnsafeMutableBufferPointer { block in
                try lineSearch.search(block, count, isAtEnd: isAtEnd, &place, &lines, &leftOut)
            }
            self.leftOut = leftOut
            if lines.count >= Self.maximumLines || isAtEnd, !lines.isEmpty {
                for start in stride(from: 0, to: lines.count, by: Self.maximumLines) {
                    await deliver(Array(lines[start..<min(start + Self.maximumLines, lines.count)]))
                }
                lines = []
            }
            if isAtEnd { return .searched }
            block.withUnsafeMutableBufferPointer { block in
                _ = block.update(fromContentsOf: block[searched..<count])
            }
            count -= searched
        }
    }

    /// Reads until the block is full; true at the end of the file, nil where it fails.
    private mutating func fill(from file: OpenFile, _ count: inout Int) -> Bool? {
        while count < Self.blockBytes {
            let start = count
            let read = block.withUnsafeMutableBytes { block in
                file.read(into: UnsafeMutableRawBufferPointer(rebasing: block[start..<Self.blockBytes]))
            }
            guard let read else { return nil }
            if read == 0 { return true }
            count += read
        }
        return false
    }
}

/// The folder of the file that was opened last: files of one folder mostly follow each other.
private final class LastFolder {
    private var path: [UInt8] = []
    private var opened: RootFolder?

    func open(_ file: [UInt8], below root: RootFolder) -> OpenFile? {
        let end = file.lastIndex(of: UInt8(ascii: "/"))
        if opened == nil || !path.elementsEqual(file[..<(end ?? 0)]) {
            path = Array(file[..<(end ?? 0)])
            opened = RootFolder(path, below: root)
        }
        guard let opened else { return nil }
        return OpenFile(Array(file[(end.map { $0 + 1 } ?? 0)...]), in: opened.descriptor)
    }
}

/// Finds the lines of a block that match.
private struct LineSearch {
    /// Each match has at least one of them in it. Where there is no expression, it is one: all of the match.
    private let required: [LiteralSearch]
    private let expression: RegularExpression?

    init(_ query: TextQuery) throws {
        required = query.requiredTexts.map { LiteralSearch($0.utf8, ignoresCase: query.ignoresCase) }
        expression =
            query.usesRegularExpression
            ? try RegularExpression(query.expression, ignoresCase: query.ignoresCase) : nil
    }

    /// Searches the lines that are whole in a block, or all of the block where there is none.
    ///
    /// - Parameters:
    ///   - block: of the bytes to search, with a byte to spare behind them.
    ///   - count: how many they are.
    ///   - isAtEnd: whether they are the last ones of the file.
    /// - Returns: how many bytes were searched.
    /// - Throws: `CancellationError`
    func search(
        _ block: UnsafeMutableBufferPointer<UInt8>, _ count: Int, isAtEnd: Bool, _ place: inout Place,
        _ lines: inout [MatchingLine], _ leftOut: inout TextSearch.LeftOut
    ) throws -> Int {
        let whole = UnsafeBufferPointer(rebasing: block[..<count])
        let lastBreak = whole.lastIndex(of: UInt8(ascii: "\n"))
        let end = isAtEnd ? count : lastBreak.map { $0 + 1 } ?? count
        var start = 0
        var places = LiteralPlaces(of: required, in: UnsafeBufferPointer(rebasing: whole[..<end]))
        while let candidate = nextCandidate(in: whole, from: start, to: end, &places) {
            // With some expressions a block takes seconds.
            if expression != nil { try Task.checkCancellation() }
            place.countBreaks(in: whole, from: start, to: candidate.lowerBound)
            let endsLine = candidate.upperBound < end || isAtEnd
            if let line = line(candidate, of: block, place, endsLine: endsLine, &leftOut) {
                lines.append(line)
                place.isFound = true
            }
            start = min(end, candidate.upperBound + 1)
            place.countBreaks(in: whole, from: candidate.lowerBound, to: start)
        }
        place.countBreaks(in: whole, from: start, to: end)
        guard lastBreak == nil, !isAtEnd else { return end }
        // A long line goes on, perhaps with the rest of a text that begins here.
        if expression != nil, !place.isInside { leftOut.dividedLines += 1 }
        place.isInside = true
        return max(1, end - (expression == nil ? (required.first?.count ?? 1) - 1 : 0))
    }

    /// The next line that may match.
    private func nextCandidate(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, _ places: inout LiteralPlaces
    ) -> Range<Int>? {
        guard start < end, let found = required.isEmpty ? start : places.next(from: start) else { return nil }
        let bytes = UnsafeBufferPointer(rebasing: bytes[..<end])
        let lower = bytes[start..<found].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? start
        let upper = bytes[found...].firstIndex(of: UInt8(ascii: "\n")) ?? end
        return lower..<upper
    }

    private func line(
        _ range: Range<Int>, of block: UnsafeMutableBufferPointer<UInt8>, _ place: Place, endsLine: Bool,
        _ leftOut: inout TextSearch.LeftOut
    ) -> MatchingLine? {
        let isInside = place.isInside && range.lowerBound == 0
        if isInside, place.isFound { return nil }
        var end = range.upperBound
        if endsLine, end > range.lowerBound, block[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let line = UnsafeBufferPointer(rebasing: block[range.lowerBound..<end])
        let matches: [Range<Int>]
        if let expression {
            // The C library reads up to a NUL; there is a byte to spare at the end of the block.
            let after = block[end]
            block[end] = 0
            defer { block[end] = after }
            let found = expression.search(
                UnsafeMutableBufferPointer(rebasing: block[range.lowerBound...end]), beginsLine: !isInside,
                endsLine: endsLine, maximum: MatchingLine.maximumMatches)
            switch found {
            case .nothing: return nil
            case .tooLong:
                leftOut.slowLines += 1
                return nil
            case .somewhere: matches = []
            case .matches(let found): matches = found
            }
        } else {
            matches = literalMatches(in: line)
            if matches.isEmpty { return nil }
        }
        return MatchingLine(
            number: place.number, line: line, matches: matches, beginsLine: !isInside, endsLine: endsLine)
    }

    private func literalMatches(in line: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var (matches, start) = ([Range<Int>](), 0)
        while matches.count < MatchingLine.maximumMatches, let text = required.first,
            let found = text.first(in: line, from: start)
        {
            start = found + text.count
            matches.append(found..<start)
        }
        return matches
    }
}

/// Where in a file the search is.
private struct Place {
    /// The number of the line, from 1.
    var number = 1
    /// Whether a part of the line was in an earlier block.
    var isInside = false
    /// Whether the text was found in that part.
    var isFound = false

    mutating func countBreaks(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        guard start < end else { return }
        var count = 0
        for byte in bytes[start..<end] where byte == UInt8(ascii: "\n") { count += 1 }
        guard count > 0 else { return }
        number += count
        (isInside, isFound) = (false, false)
    }
}
