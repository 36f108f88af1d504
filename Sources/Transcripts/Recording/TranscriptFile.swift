import LibC
import Transport

/// The file that a transcript is written to. Whatever it waits for, it blocks its thread: a `Recording` has it on one of
/// its own.
package final class TranscriptFile {
    package let path: String
    /// Nil: opened when there is something to write, as that may wait, for the reader of a FIFO say.
    private var descriptor: Descriptor?
    private let isNew: Bool
    /// A file that is recorded over keeps its contents until there is something to write.
    private var hasWritten = false
    /// Where the next line begins in a regular file; nil of what isn't one.
    private var length: off_t?

    /// Makes the file, or opens it, without waiting.
    ///
    /// - Parameters:
    ///   - overwrites: a regular file that exists may be recorded over.
    ///   - isPrivate: a file that is made is its user's alone.
    package init(path: String, overwrites: Bool = false, isPrivate: Bool = false) throws(TranscriptError) {
        self.path = path
        var status = stat()
        isNew = stat(path, &status) != 0
        guard isNew || status.st_mode & S_IFMT != S_IFREG || overwrites else {
            throw TranscriptError(path: path, reason: "the file exists; with --overwrite it is recorded over")
        }
        // A FIFO or a device, which is as it is.
        guard isNew || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        let flags = O_WRONLY | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
        descriptor = try Self.open(path, flags, isPrivate ? 0o600 : 0o666)
        length = 0
    }

    /// Writes whole lines. When that fails, a regular file ends with the last line that could be written.
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

    /// Some file systems tell only here that what was written is lost.
    package func close() throws(TranscriptError) {
        guard let number = descriptor.take()?.release() else { return }
        guard LibC.close(number) == 0 || errno == EINTR else {
            throw Self.failure(path, errno)
        }
    }

    /// There will be no transcript: a file that was made for it goes.
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

    /// Of what was written last, the line that is cut off.
    private func takeBack(_ bytes: ArraySlice<UInt8>) {
        guard let length else { return }
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // What can't be mended is a transcript whose last line is cut off.
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
