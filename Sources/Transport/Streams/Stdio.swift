import LibC

/// Standard input and output as a stream that nothing else in the process reads or writes.
package enum Stdio {
    /// The least number to which the protocol's descriptors are moved, away from 0, 1 and 2, which other code uses.
    static let lowestMoved: Int32 = 10

    /// Moves descriptors 0 and 1 away, and makes a stream of them. Called once, on the loop, as early as possible.
    ///
    /// From then on, `print` writes to standard error, and standard input is empty for this process and its children.
    package static func open(on loop: EventLoop) throws(SystemError) -> DescriptorStream {
        try ensureStandardDescriptors()
        let input = try duplicate(0)
        let output = try duplicate(1)
        let null = try Descriptor(LibC.open("/dev/null", O_RDONLY | O_CLOEXEC), "open", "/dev/null")
        guard dup2(null.number, 0) >= 0, dup2(2, 1) >= 0 else { throw SystemError.last("dup2") }
        bufferOutputByLine()
        return try stream(input: input, output: output, on: loop)
    }

    /// Makes a stream of two descriptors of any kind (pipe, socket, terminal, file, /dev/null). Called on the loop only.
    package static func stream(
        input: consuming Descriptor, output: consuming Descriptor, on loop: EventLoop
    ) throws(SystemError) -> DescriptorStream {
        if input.isSocket, isSame(input, output) {
            return DescriptorStream(input, peer: "stdio", loop: loop)
        }
        let input = try unblocked(input, mode: O_RDONLY)
        let output = try unblocked(output, mode: O_WRONLY)
        return DescriptorStream(input: input, output: output, peer: "stdio", loop: loop)
    }

    /// Opens those of the descriptors 0, 1 and 2 that a parent left closed, as `/dev/null`; 1 is opened for reading only.
    /// This must be the first call in a process.
    ///
    /// Otherwise the next descriptor that is opened, perhaps a socket, would get such a number, and every `print` would write
    /// to it.
    package static func ensureStandardDescriptors() throws(SystemError) {
        for number: Int32 in 0...2 { try ensureOpen(number) }
    }

    /// Makes `print` write each line at once, even to a pipe or a file.
    package static func bufferOutputByLine() {
        clinux_buffer_stdout_by_line()
    }

    /// Flushes the buffer of standard output.
    ///
    /// - Throws: where any of it couldn't be written.
    package static func flushOutput() throws(SystemError) {
        let code = clinux_flush_stdout()
        guard code == 0 else {
            let reason = code < 0 ? "not all of it could be written" : nil
            throw SystemError(code: code < 0 ? EIO : code, call: "write", subject: "standard output", reason: reason)
        }
    }

    private static func ensureOpen(_ number: Int32) throws(SystemError) {
        guard fcntl(number, F_GETFD) < 0 else { return }
        // With any other error the descriptor isn't closed, and mustn't be replaced.
        guard errno == EBADF else { throw SystemError.last("fcntl", "descriptor \(number)") }
        // Printing to nobody is an error, as in other programs.
        let mode = number == 1 ? O_RDONLY : O_RDWR
        let null = try Descriptor(LibC.open("/dev/null", mode), "open", "/dev/null")
        if null.number == number {
            _ = null.release()
        } else if dup2(null.number, number) < 0 {
            throw SystemError.last("dup2")
        }
    }

    private static func duplicate(_ number: Int32) throws(SystemError) -> Descriptor {
        try Descriptor(fcntl(number, F_DUPFD_CLOEXEC, lowestMoved), "fcntl", "F_DUPFD_CLOEXEC")
    }

    /// Returns a descriptor of the same file that doesn't block.
    ///
    /// `O_NONBLOCK` belongs to the open file description, which a shell or a parent process may share and which it would
    /// break. So pipes and terminals are opened again, which makes a description of their own. Where that isn't allowed
    /// (another user's terminal, no /proc), the flag is set until the descriptor is closed. Sockets need no flag (see
    /// `Channel`), and files never block.
    static func unblocked(_ descriptor: consuming Descriptor, mode: Int32) throws(SystemError) -> Descriptor {
        switch descriptor.fileType {
        case S_IFIFO, S_IFCHR:
            let path = "/proc/self/fd/\(descriptor.number)"
            let reopened = LibC.open(path, mode | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            if reopened >= 0 { return Descriptor(owning: reopened) }
            try descriptor.borrowNonBlocking()
            return descriptor
        default:
            return descriptor
        }
    }

    private static func isSame(_ left: borrowing Descriptor, _ right: borrowing Descriptor) -> Bool {
        var leftStatus = stat()
        var rightStatus = stat()
        guard fstat(left.number, &leftStatus) == 0, fstat(right.number, &rightStatus) == 0 else { return false }
        return leftStatus.st_dev == rightStatus.st_dev && leftStatus.st_ino == rightStatus.st_ino
    }
}
