import LibC

/// A reader of a transcript's lines that needs no more memory than the longest line takes.
///
/// Reading blocks the thread. Empty lines are skipped but counted.
package final class TranscriptReader {
    package let path: String
    package let header: TranscriptHeader
    /// The bytes of the line that was read last; of the header's line before the first call of `next`.
    package private(set) var text: [UInt8]
    private let decoder: TranscriptDecoder
    private let lines: LineReader

    /// Opens the file and reads its header.
    ///
    /// - Throws: `TranscriptError` when the file can't be read or its first line is no valid header.
    package convenience init(path: String) throws(TranscriptError) {
        try self.init(path: path, lines: LineReader(path: path))
    }

    /// Reads a transcript from memory.
    ///
    /// - Parameter path: only named in errors.
    /// - Throws: `TranscriptError` if the first line is no valid header.
    package convenience init(path: String, text: String) throws(TranscriptError) {
        try self.init(path: path, lines: LineReader(text: text))
    }

    private init(path: String, lines: LineReader) throws(TranscriptError) {
        self.path = path
        self.lines = lines
        decoder = TranscriptDecoder(path: path)
        guard let first = try lines.next() else {
            throw TranscriptError(path: path, line: 1, reason: "the file is empty: it has no header")
        }
        header = try Self.read(first, decoder.header)
        text = first
    }

    /// Reads the next entry; nil at the end of the file.
    ///
    /// - Throws: `TranscriptError` if the file can't be read or the line isn't a valid entry.
    package func next() throws(TranscriptError) -> TranscriptEntry? {
        while let line = try lines.next() {
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            let number = lines.count
            text = line
            return try Self.read(line) { (bytes) throws(TranscriptError) in try decoder.entry(bytes, line: number) }
        }
        return nil
    }

    private static func read<R>(
        _ line: [UInt8], _ body: (UnsafeRawBufferPointer) throws(TranscriptError) -> R
    ) throws(TranscriptError) -> R {
        let result = line.withUnsafeBytes { bytes in Result { () throws(TranscriptError) -> R in try body(bytes) } }
        return try result.get()
    }
}

/// The lines of a file, which is read through the C library, or of a text in memory.
private final class LineReader {
    private let path: String
    private let file: UnsafeMutablePointer<FILE>?
    /// The part of a text in memory that wasn't read yet.
    private var rest: ArraySlice<UInt8> = []
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0
    /// The number of lines read so far.
    private(set) var count = 0

    init(path: String) throws(TranscriptError) {
        guard let file = fopen(path, "re") else { throw Self.failure(path) }
        self.path = path
        self.file = file
    }

    init(text: String) {
        path = ""
        file = nil
        rest = Array(text.utf8)[...]
    }

    deinit {
        free(buffer)
        if let file { fclose(file) }
    }

    /// Reads the next line, without its `\n`; nil after the last.
    func next() throws(TranscriptError) -> [UInt8]? {
        guard let file else { return nextOfText() }
        errno = 0
        let length = getline(&buffer, &capacity, file)
        guard length >= 0, let buffer else {
            // `ferror` isn't set if memory for a line is missing, so `feof` is asked whether this is the end.
            guard feof(file) != 0 else { throw Self.failure(path) }
            return nil
        }
        count += 1
        var line = UnsafeRawBufferPointer(start: buffer, count: length)
        if line.last == UInt8(ascii: "\n") { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
        return Array(line)
    }

    private func nextOfText() -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        count += 1
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest[line.endIndex...].dropFirst()
        return Array(line)
    }

    private static func failure(_ path: String) -> TranscriptError {
        TranscriptError(path: path, reason: String(cString: strerror(errno)))
    }
}
