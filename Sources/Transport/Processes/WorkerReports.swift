import LibC

/// Receives the reports of a `WorkerProcess`: packets, on the socket by which sockets are passed to the process.
///
/// The loop retains it until the process has ended. The process isn't trusted: the length of each report is bounded, and so
/// is the number of reports that are read in one turn of the loop.
final class WorkerReports: Registrant {
    /// The longest report in bytes: less than a socket takes at once.
    static let maximumBytes = 128 << 10
    private static let packetsInTurn = 4

    private let loop: EventLoop
    private var didReport: ((UnsafeRawBufferPointer) -> Void)?
    private var input: Descriptor?
    private var registration: RegistrationToken?

    /// Begins to receive. Called on the loop only.
    ///
    /// - Parameter socket: this process's end of the socket, which may be half closed.
    init(
        _ socket: consuming Descriptor, on loop: EventLoop, didReport: @escaping (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.didReport = didReport
        let registration = loop.core.register(self, descriptor: socket.number)
        self.registration = registration
        input = consume socket
        do throws(SystemError) {
            try loop.core.setInterest(.read, of: registration)
        } catch {
            close()
            throw error
        }
    }

    func didBecomeReady(_ readiness: Interest) { read(atMost: Self.packetsInTurn) }

    func loopWillEnd() { close() }

    /// Reads the reports that the process had sent when it ended, then closes.
    func finish() {
        read(atMost: .max)
        close()
    }

    func close() {
        if let registration { loop.core.withdraw(registration) }
        registration = nil
        input = nil
        didReport = nil
    }

    private func read(atMost maximum: Int) {
        withUnsafeTemporaryAllocation(byteCount: Self.maximumBytes, alignment: 1) { buffer in
            for _ in 0..<maximum {
                guard let number = input?.number else { return }
                // With MSG_TRUNC, `recv` returns the true length of a packet that is longer than the buffer.
                let count = recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
                // A process that ended with sockets it hadn't taken has reset this socket, which fails once. Its reports can
                // still be read.
                if count < 0, errno == EINTR || errno == ECONNRESET { continue }
                if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
                guard count > 0 else { return close() }
                if count <= buffer.count { didReport?(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            }
        }
    }
}
