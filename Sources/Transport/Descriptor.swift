import LibC

/// A descriptor that has one owner and is closed with it, so that no path, also none that throws, can leak it.
package struct Descriptor: ~Copyable {
    package let number: Int32
    /// The status flags from before this process changed them, for an open file description that others share.
    private var flagsToRestore: Int32?

    /// Takes the descriptor over: nobody else may close it.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Takes over what a call returned, or throws what it left in `errno`.
    package init(_ result: Int32, _ call: String, _ subject: String = "") throws(SystemError) {
        guard result >= 0 else { throw SystemError.last(call, subject) }
        number = result
    }

    deinit {
        if let flagsToRestore { _ = fcntl(number, F_SETFL, flagsToRestore) }
        // Not retried on EINTR: Linux has let go of the number by then, and another thread may have it.
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

    /// Sets `O_NONBLOCK` until this descriptor is closed. The flag is the open file description's, which a parent process or
    /// a shell may share: an own description is better where one can be had (see `Stdio`).
    mutating func borrowNonBlocking() throws(SystemError) {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0 else { throw SystemError.last("fcntl", "F_GETFL") }
        guard flags & O_NONBLOCK == 0 else { return }
        guard fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else { throw SystemError.last("fcntl", "F_SETFL") }
        flagsToRestore = flags
    }
}
