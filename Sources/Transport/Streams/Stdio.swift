import LibC

/// Standard input and output as a stream that has them to itself.
package enum Stdio {
    /// Descriptors of the protocol are at least this, out of the way of what counts on 0, 1 and 2.
    private static let lowestMoved: Int32 = 10

    /// Moves descriptors 0 and 1 away and makes a stream of them; from then on whatever the process prints goes to standard
    /// error, and what it or a child reads from standard input is empty. Once, on the loop, as early as can be.
    package static func open(on loop: EventLoop) throws(SystemError) -> DescriptorStream {
        try ensureStandardDescriptors()
        let input = try duplicate(0)
        let output = try duplicate(1)
        let null = try Descriptor(LibC.open("/dev/null", O_RDONLY | O_CLOEXEC), "open", "/dev/null")
        guard dup2(null.number, 0) >= 0, dup2(2, 1) >= 0 else { throw SystemError.last("dup2") }
        bufferOutputByLine()
        return try stream(input: input, output: output, on: loop)
    }

    /// Makes a stream of two descriptors of whatever kind (pipe, socket, terminal, file, /dev/null). On the loop only.
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

    /// Opens what a parent left closed of descriptors 0, 1 and 2, as `/dev/null`: else the next descriptor that is opened, a
    /// socket say, would be taken for standard output by every `print`. Called first thing in a process.
    package static func ensureStandardDescriptors() throws(SystemError) {
        for number: Int32 in 0...2 { try ensureOpen(number) }
    }

    /// Lets what is printed be seen line by line, also in a pipe or a file.
    package static func bufferOutputByLine() {
        clinux_buffer_stdout_by_line()
    }

    private static func ensureOpen(_ number: Int32) throws(SystemError) {
        guard fcntl(number, F_GETFD) < 0 else { return }
        let null = try Descriptor(LibC.open("/dev/null", O_RDWR), "open", "/dev/null")
        if null.number == number {
            _ = null.release()
        } else if dup2(null.number, number) < 0 {
            throw SystemError.last("dup2")
        }
    }

    private static func duplicate(_ number: Int32) throws(SystemError) -> Descriptor {
        try Descriptor(fcntl(number, F_DUPFD_CLOEXEC, lowestMoved), "fcntl", "F_DUPFD_CLOEXEC")
    }

    /// The same file behind a descriptor that doesn't wait.
    ///
    /// `O_NONBLOCK` belongs to the open file description, which a shell or a parent process shares and would suffer from. So
    /// pipes and terminals are opened anew, which gives a description of their own; where that isn't allowed (another user's
    /// terminal, no /proc) the flag is set until the end. Sockets are asked call by call, files never wait.
    private static func unblocked(_ descriptor: consuming Descriptor, mode: Int32) throws(SystemError) -> Descriptor {
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
