import LibC
import Synchronization

/// A file descriptor with one owner. It is closed when the owner lets go of it, so no code path can leak it, not even one
/// that throws.
package struct Descriptor: ~Copyable {
    package let number: Int32
    /// The status flags before this process changed them, where others share the open file description.
    private var flagsToRestore: Int32?

    /// Takes over the descriptor: nobody else may close it.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Takes over the result of a system call.
    ///
    /// - Throws: the call's error, from `errno`, when the result is negative.
    package init(_ result: Int32, _ call: String, _ subject: String = "") throws(SystemError) {
        guard result >= 0 else { throw SystemError.last(call, subject) }
        number = result
    }

    deinit {
        if let flagsToRestore { _ = fcntl(number, F_SETFL, flagsToRestore) }
        // Not retried on EINTR: Linux has released the number by then, and another thread may have it.
        _ = LibC.close(number)
    }

    /// Gives up ownership without closing.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    var isSocket: Bool { fileType == S_IFSOCK }

    var fileType: mode_t {
        var status = stat()
        return fstat(number, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// Sets `O_NONBLOCK` until this descriptor is closed.
    ///
    /// The flag belongs to the open file description, which a parent process or a shell may share. A description of one's own
    /// is better where it can be had (see `Stdio`).
    mutating func borrowNonBlocking() throws(SystemError) {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0 else { throw SystemError.last("fcntl", "F_GETFL") }
        guard flags & O_NONBLOCK == 0 else { return }
        guard fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else { throw SystemError.last("fcntl", "F_SETFL") }
        flagsToRestore = flags
    }
}

/// A pipe that no other program inherits and whose ends don't block.
struct Pipe: ~Copyable {
    let reading: Descriptor
    let writing: Descriptor

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        reading = Descriptor(owning: ends[0])
        writing = Descriptor(owning: ends[1])
    }
}

/// A descriptor on its way to another loop, closed where it never arrives there.
package final class DescriptorParcel: Sendable {
    private let number: Mutex<Int32?>

    package init(_ descriptor: consuming Descriptor) {
        number = Mutex(descriptor.release())
    }

    deinit {
        _ = take()
    }

    /// Takes the descriptor; nil after the first call.
    package func take() -> Descriptor? {
        let taken = number.withLock { number in
            defer { number = nil }
            return number
        }
        guard let taken else { return nil }
        return Descriptor(owning: taken)
    }
}
