import Synchronization

/// The lines of a file, read where they are: of the file it keeps a number for each 256 lines.
///
/// Where the file changes meanwhile, there are fewer lines or other ones. Any thread may call it.
final class FileLines: Sendable {
    private struct Index {
        /// Where the lines 0, 256, 512 and so on begin.
        var starts = [0]
        /// How many lines are counted.
        var count = 0
    }

    /// What is shown of a line, in bytes.
    static let maximumCount = 1000
    private static let stride = 256
    private static let blockBytes = 1 << 16
    private static let headBytes = 1 << 13

    private let file: OpenFile
    private let index = Mutex(Index())

    init(_ file: OpenFile) {
        self.file = file
    }

    /// Whether it has a NUL at its beginning.
    var isBinary: Bool {
        var block = [UInt8](repeating: 0, count: Self.headBytes)
        let count = block.withUnsafeMutableBytes { file.read(into: $0, at: 0) } ?? 0
        return block[..<count].contains(0)
    }

    /// Counts the lines, off the executor of its caller: its thread is blocked while the file system works. Called once.
    ///
    /// - Parameter tell: is given how many lines there are so far: soon, then seldom, and at the end.
    /// - Throws: `CancellationError`
    @concurrent func countLines(_ tell: @Sendable (Int) async -> Void) async throws {
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        var (offset, count, told) = (0, 0, 0)
        var endsLine = true
        while let read = block.withUnsafeMutableBytes({ file.read(into: $0, at: offset) }), read > 0 {
            try Task.checkCancellation()
            count = note(block[..<read], at: offset, count)
            endsLine = block[read - 1] == UInt8(ascii: "\n")
            offset += read
            if count > 0, count / 2 >= told {
                told = count
                await tell(count)
            }
            await Task.yield()
        }
        if !endsLine { count += 1 }
        index.withLock { $0.count = count }
        if count != told { await tell(count) }
    }

    /// - Returns: how many lines end up to the end of the block.
    private func note(_ block: ArraySlice<UInt8>, at offset: Int, _ before: Int) -> Int {
        var (count, starts) = (before, [Int]())
        for index in block.indices where block[index] == UInt8(ascii: "\n") {
            count += 1
            if count % Self.stride == 0 { starts.append(offset + index + 1) }
        }
        index.withLock {
            $0.starts += starts
            $0.count = count
        }
        return count
    }

    /// The lines in a range, as far as they are counted.
    ///
    /// - Throws: `CancellationError`
    func lines(in range: Range<Int>) throws -> [FinderPreviewViewModel.Line] {
        let (range, start) = index.withLock { index in
            let range = range.clamped(to: 0..<index.count)
            return (range, index.starts[min(range.lowerBound / Self.stride, index.starts.count - 1)])
        }
        guard !range.isEmpty else { return [] }
        var lines: [FinderPreviewViewModel.Line] = []
        var number = range.lowerBound / Self.stride * Self.stride
        var line: [UInt8] = []
        var offset = start
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        func endLine() {
            if range.contains(number) { lines.append(Self.line(number, line)) }
            number += 1
            line.removeAll(keepingCapacity: true)
        }
        while lines.count < range.count, let read = block.withUnsafeMutableBytes({ file.read(into: $0, at: offset) }) {
            try Task.checkCancellation()
            // The last line may have no line break.
            if read == 0 { endLine() }
            var rest = block[..<read]
            while !rest.isEmpty, lines.count < range.count {
                let end = rest.firstIndex(of: UInt8(ascii: "\n"))
                line.append(contentsOf: rest[..<(end ?? rest.endIndex)].prefix(Self.maximumCount + 1 - line.count))
                rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
                // Of the last line nobody sees the rest, which may be gigabytes.
                let isLong = line.count > Self.maximumCount && number == range.upperBound - 1
                if end != nil || isLong { endLine() }
            }
            if read == 0 { break }
            offset += read
        }
        return lines
    }

    private static func line(_ number: Int, _ bytes: [UInt8]) -> FinderPreviewViewModel.Line {
        var shown = bytes[...]
        if shown.count > maximumCount {
            // Not within a character.
            while shown.popLast().map({ $0 & 0xC0 == 0x80 }) ?? false {}
        } else if shown.last == UInt8(ascii: "\r") {
            shown.removeLast()
        }
        return .init(id: number + 1, text: String(decoding: shown, as: UTF8.self))
    }
}
