import LibC
import Sessions
import Synchronization

/// Keeps two servers from using one file by mistake, by an advisory lock on the file itself. The lock ends with its process,
/// whatever the cause.
///
/// The lock is on the file, not its name: it is seen by whatever name leads to the file, also from another container. It is
/// on bytes far beyond those that a file can have, and those that SQLite locks.
final class StoreLock: Sendable {
    private let descriptor: Atomic<Int32>

    /// The first byte of the locked range. A process locks byte `first + process * width`, or one of the next where another
    /// process with that ID has it.
    private static let first: Int64 = 1 << 62
    private static let width: Int64 = 16
    private static let length: Int64 = 1 << 40

    /// Commands of fcntl(2) for locks of an open file description, which don't end when other code closes the file.
    private static let getCommand: Int32 = 36
    private static let setCommand: Int32 = 37

    /// Locks the file. Makes it where there is none, readable only for its user, as it has the keys of sessions.
    ///
    /// - Throws: `inaccessible`, with the process that has the file.
    init(of path: String, takesOver: Bool) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError.cantOpen(path) }
        do throws(StoreError) {
            try Self.lock(descriptor, path, takesOver)
        } catch {
            _ = LibC.close(descriptor)
            throw error
        }
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        release()
    }

    private static func lock(_ descriptor: Int32, _ path: String, _ takesOver: Bool) throws(StoreError) {
        let own = first + Int64(getpid()) * width
        // The whole range first, so that of two servers that start at once one is refused.
        if set(F_WRLCK, first, length, descriptor) {
            _ = set(F_UNLCK, first, own - first, descriptor)
            _ = set(F_UNLCK, own + 1, first + length - own - 1, descriptor)
            return
        }
        guard errno == EAGAIN || errno == EACCES else {
            let reason = String(cString: strerror(errno))
            throw .inaccessible("\(path) can't be locked (\(reason)): keep it on a disk of this machine")
        }
        if takesOver, (own..<own + width).contains(where: { set(F_WRLCK, $0, 1, descriptor) }) { return }
        throw inUse(path, descriptor)
    }

    private static func set(_ kind: Int32, _ start: Int64, _ length: Int64, _ descriptor: Int32) -> Bool {
        var range = range(kind, start, length)
        return length == 0 || fcntl(descriptor, setCommand, &range) == 0
    }

    private static func range(_ kind: Int32, _ start: Int64, _ length: Int64) -> flock {
        var range = flock()
        range.l_type = Int16(truncatingIfNeeded: kind)
        range.l_whence = Int16(SEEK_SET)
        (range.l_start, range.l_len) = (off_t(start), off_t(length))
        return range
    }

    private static func inUse(_ path: String, _ descriptor: Int32) -> StoreError {
        var range = range(F_WRLCK, first, length)
        let isLocked = fcntl(descriptor, getCommand, &range) == 0 && range.l_type != Int16(truncatingIfNeeded: F_UNLCK)
        let process = isLocked && range.l_len == 1 ? ", process \((Int64(range.l_start) - first) / width)" : ""
        return .inaccessible(
            "\(path) is in use by another server\(process): stop that, or take the file over (--take-over)")
    }

    /// The status of the locked file, with the number of its names.
    var status: stat {
        var status = stat()
        _ = fstat(descriptor.load(ordering: .relaxed), &status)
        return status
    }

    /// Returns the first bytes of the file; fewer where it has no more. They are read by the lock's descriptor, as no other
    /// one may be closed while SQLite has the file.
    func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor.load(ordering: .relaxed), &bytes, count, 0)
        return Array(bytes.prefix(max(0, read)))
    }

    /// Releases the lock. Called when SQLite has closed the file, as closing a descriptor releases SQLite's own locks.
    func release() {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        // A child process that is just being made may have the descriptor, too, so closing it here wouldn't be enough.
        _ = Self.set(F_UNLCK, Self.first, Self.length, descriptor)
        _ = LibC.close(descriptor)
    }
}

extension StoreError {
    /// Makes the error of an `open` that has just failed.
    static func cantOpen(_ path: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        let advice = "it and its folder must be there, and writable for the user of this process"
        return .inaccessible("\(path) can't be opened (\(reason)): \(advice)")
    }
}
