import LibC

/// The other side of a `WorkerProcess`: takes the sockets that are passed to this process on its standard input, and sends
/// reports on the same socket.
///
/// The loop retains it until the input has ended. Reports can be made after that, too.
package final class DescriptorReceiver: Registrant {
    /// The longest message that comes with a socket, in bytes.
    package static let messageBytes = 16 << 10

    private let loop: EventLoop
    private let didReceive: (_ message: [UInt8], consuming Descriptor) -> Void
    private var didEnd: (() -> Void)?
    private var input: Descriptor?
    private var registration: RegistrationToken?

    /// Moves descriptor 0 away, and leaves an empty input in its place. Called on the loop, once in a process.
    ///
    /// - Parameters:
    ///   - didReceive: called on the loop for each socket.
    ///   - didEnd: called once, on the loop, when no more will come.
    package init(
        on loop: EventLoop, didReceive: @escaping (_ message: [UInt8], consuming Descriptor) -> Void,
        didEnd: @escaping () -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        self.loop = loop
        self.didReceive = didReceive
        self.didEnd = didEnd
        let input = try Descriptor(fcntl(0, F_DUPFD_CLOEXEC, Stdio.lowestMoved), "fcntl", "F_DUPFD_CLOEXEC")
        guard input.isSocket else {
            throw SystemError(
                code: ENOTSOCK, call: "recvmsg", subject: "standard input",
                reason: "it is no socket; only a server with --isolate starts such a process")
        }
        let null = try Descriptor(LibC.open("/dev/null", O_RDONLY | O_CLOEXEC), "open", "/dev/null")
        guard dup2(null.number, 0) >= 0 else { throw SystemError.last("dup2") }
        let registration = loop.core.register(self, descriptor: input.number)
        self.registration = registration
        self.input = consume input
        try loop.core.setInterest(.read, of: registration)
    }

    /// Sends a report to the process that has started this one. Called on the loop only.
    ///
    /// - Returns: false where that process hasn't read enough of the earlier reports or has ended, or the report is too long.
    package func report(_ bytes: [UInt8]) -> Bool {
        loop.preconditionIsCurrent()
        guard let number = input?.number, bytes.count <= WorkerReports.maximumBytes else { return false }
        return bytes.withUnsafeBytes {
            send(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) == bytes.count
        }
    }

    /// A function that sends a report from any thread while the loop runs, as the last thing that this process does. Read on
    /// the loop only.
    package var lastReport: @Sendable ([UInt8]) -> Void {
        loop.preconditionIsCurrent()
        let number = input?.number ?? -1
        return { bytes in
            _ = bytes.withUnsafeBytes {
                send(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            }
        }
    }

    func loopWillEnd() {
        didEnd = nil
        close()
        input = nil
    }

    private func close() {
        if let registration { loop.core.withdraw(registration) }
        registration = nil
        let didEnd = didEnd
        self.didEnd = nil
        didEnd?()
    }

    func didBecomeReady(_ readiness: Interest) {
        withUnsafeTemporaryAllocation(byteCount: Self.messageBytes, alignment: 1) { buffer in
            while let number = input?.number, let start = buffer.baseAddress {
                var descriptor: Int32 = -1
                let count = clinux_receive_descriptor(number, start, buffer.count, &descriptor)
                if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
                // An error, too, leaves nothing to wait for.
                guard count > 0 else { return close() }
                guard descriptor >= 0 else { continue }
                didReceive(Array(buffer[..<Int(count)]), Descriptor(owning: descriptor))
            }
        }
    }
}
