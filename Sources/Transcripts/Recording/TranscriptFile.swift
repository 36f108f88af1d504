import LibC
import Transport

/// The file that a transcript is recorded to. Its functions block the thread while the disk is slow.
package final class TranscriptFile {
    package let path: String
    /// The open file. For a FIFO or a device, nil until the first write, since opening a FIFO waits for its reader.
    private var descriptor: Descriptor?
    private let isNew: Bool
    /// Whether anything was written. An overwritten file keeps its contents until the first write.
    private var hasWritten = false
    /// The length of a regular file in bytes; nil for any other.
    private var length: off_t?

    /// Creates or opens the file, without waiting.
    ///
    /// - Parameters:
    ///   - overwrites: whether an existing regular file may be overwritten.
    ///   - isPrivate: whether only the user may read a file that is created.
    /// - Throws: `TranscriptError` if the file exists and may not be overwritten, or can't be created or opened.
    package init(path: String, overwrites: Bool = false, isPrivate: Bool = false) throws(TranscriptError) {
        self.path = path
        var status = stat()
        isNew = stat(path, &status) != 0
        guard isNew || status.st_mode & S_IFMT != S_IFREG || overwrites else {
            throw TranscriptError(path: path, reason: "the file exists; with --overwrite it is recorded over")
        }
        // A FIFO or a device is opened later.
        guard isNew || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        let flags = O_WRONLY | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
        descriptor = try Self.open(path, flags, isPrivate ? 0o600 : 0o666)
        length = 0
    }

    /// Writes whole lines.
    ///
    /// - Throws: `TranscriptError` if they can't all be written. A regular file then ends with the last line that was written
    ///   whole.
    package func write(_ lines: [UInt8]) throws(TranscriptError) {
        guard !lines.isEmpty else { return }
        try prepare()
        var written = 0
        while written < lines.count {
            let count = lines.withUnsafeBytes { bytes in
                LibC.write(descriptor?.number ?? -1, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                let code = count == 0 ? ENOSPC : errno
                takeBack(lines[..<written])
                throw Self.failure(path, code)
            }
        }
        if let length { self.length = length + off_t(lines.count) }
    }

    /// Closes the file.
    ///
    /// - Throws: `TranscriptError` if data was lost, which some file systems report only now.
    package func close() throws(TranscriptError) {
        guard let number = descriptor.take()?.release() else { return }
        guard LibC.close(number) == 0 || errno == EINTR else {
            throw Self.failure(path, errno)
        }
    }

    /// Deletes a file that was created and not written to.
    package func discard() {
        if isNew, !hasWritten { unlink(path) }
        descriptor = nil
    }

    private func prepare() throws(TranscriptError) {
        guard !hasWritten else { return }
        if descriptor == nil {
            descriptor = try Self.open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        } else if !isNew, ftruncate(descriptor?.number ?? -1, 0) != 0 {
            throw Self.failure(path, errno)
        }
        hasWritten = true
    }

    /// Removes from a regular file a last line that was written only in part.
    private func takeBack(_ bytes: ArraySlice<UInt8>) {
        guard let length else { return }
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // If that fails too, the last line stays cut off.
        _ = ftruncate(descriptor?.number ?? -1, length + off_t(whole))
    }

    private static func open(
        _ path: String, _ flags: Int32, _ permissions: mode_t = 0
    ) throws(TranscriptError) -> Descriptor {
        while true {
            let number = LibC.open(path, flags, permissions)
            if number >= 0 { return Descriptor(owning: number) }
            guard errno == EINTR else { throw failure(path, errno) }
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> TranscriptError {
        TranscriptError(path: path, reason: String(cString: strerror(code)))
    }
}
