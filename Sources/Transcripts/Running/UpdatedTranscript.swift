import LibC

/// An updated transcript, to be written to its file.
///
/// The header, empty lines and unchanged entries stay byte for byte, since people may have laid them out.
package struct UpdatedTranscript {
    private let path: String
    private let entries: [TranscriptEntry]

    /// Takes the path of the transcript and its new entries.
    ///
    /// - Parameter entries: those of `TranscriptOutcome.passed`.
    package init(path: String, entries: [TranscriptEntry]) {
        self.path = path
        self.entries = entries
    }

    /// Replaces the file atomically. Its permissions stay.
    ///
    /// - Returns: false if nothing has changed; then the file isn't touched.
    /// - Throws: `TranscriptError` if the file can't be read or replaced.
    package func write() throws(TranscriptError) -> Bool {
        // If the path is a symbolic link, the link stays, and its target is replaced.
        guard let resolved = realpath(path, nil) else { throw failure() }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let old = try read(target)
        let new = try text(old)
        // A missing `\n` at the end is no change.
        guard new != old, new.dropLast() != old[...] else { return false }
        try replace(target, with: new)
        return true
    }

    private func text(_ old: [UInt8]) throws(TranscriptError) -> [UInt8] {
        let lines = old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let decoder = TranscriptDecoder(path: path)
        var text: [UInt8] = []
        text.reserveCapacity(old.count)
        func append(_ line: ArraySlice<UInt8>) {
            text += line
            text.append(UInt8(ascii: "\n"))
        }
        append(lines[0])
        var copied = 1
        for entry in entries {
            // Lines are counted from 1.
            let index = entry.line - 1
            guard lines.indices.contains(index), index >= copied else {
                text += TranscriptEncoder.encode(entry)
                continue
            }
            // The entries in between were dropped; the empty lines stay.
            for line in lines[copied..<index] where line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                append(line)
            }
            if Array(lines[index]).withUnsafeBytes({ try? decoder.entry($0, line: entry.line) }) == entry {
                append(lines[index])
            } else {
                text += TranscriptEncoder.encode(entry)
            }
            copied = index + 1
        }
        return text
    }

    private func read(_ path: String) throws(TranscriptError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw failure() }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            bytes += chunk[..<count]
            if count == 0 { break }
        }
        guard ferror(file) == 0 else { throw failure() }
        return bytes
    }

    private func replace(_ path: String, with bytes: [UInt8]) throws(TranscriptError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure() }
        let temporary = "\(path).\(getpid()).new"
        guard let file = fopen(temporary, "wxe") else { throw failure() }
        let isWritten =
            fwrite(bytes, 1, bytes.count, file) == bytes.count
            && fchmod(fileno(file), status.st_mode & 0o7777) == 0
            && fflush(file) == 0
        guard fclose(file) == 0, isWritten, rename(temporary, path) == 0 else {
            let failure = failure()
            unlink(temporary)
            throw failure
        }
    }

    /// Returns the error of the system call that failed last.
    private func failure() -> TranscriptError {
        TranscriptError(path: path, reason: String(cString: strerror(errno)))
    }
}
