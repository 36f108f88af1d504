import LibC
import Sessions
import Synchronization

/// Keeps two servers from using one file by mistake: an advisory lock that ends with its process, by whatever cause.
final class StoreLock: Sendable {
    private let descriptor: Atomic<Int32>

    /// - Throws: `unavailable`, with the process that has the file.
    init(of path: String, takesOver: Bool) throws(StoreError) {
        let file = path + "-owner"
        while true {
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw StoreError.cantOpen(file) }
            let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            if isFree, Self.isSame(descriptor, file) {
                self.descriptor = Atomic(descriptor)
                let text = Array("\(getpid())".utf8)
                _ = ftruncate(descriptor, 0)
                _ = pwrite(descriptor, text, text.count, 0)
                return
            }
            if !isFree, !takesOver { throw Self.inUse(path, by: descriptor) }
            // The other server keeps its lock, on a file that has no name any more.
            if !isFree { unlink(file) }
            _ = LibC.close(descriptor)
        }
    }

    deinit {
        release()
    }

    /// False where another server has made the file anew.
    private static func isSame(_ descriptor: Int32, _ file: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(file, &named) == 0 && opened.st_ino == named.st_ino
    }

    private static func inUse(_ path: String, by descriptor: Int32) -> StoreError {
        var text = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &text, text.count)
        _ = LibC.close(descriptor)
        let id = String(decoding: text.prefix(max(0, count)), as: UTF8.self)
        return .unavailable(
            """
            \(path) is in use by another server\(id.isEmpty ? "" : ", process \(id)"): \
            stop that, or start this one with --take-over
            """)
    }

    func release() {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        // A child that is just being made may have the descriptor, too, and closing it here wouldn't be enough.
        _ = flock(descriptor, LOCK_UN)
        _ = LibC.close(descriptor)
    }
}

extension StoreError {
    /// After a failed `open`.
    static func cantOpen(_ path: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        let advice = "it and its folder must be there, and writable for the user of this process"
        return .unavailable("\(path) can't be opened (\(reason)): \(advice)")
    }
}
