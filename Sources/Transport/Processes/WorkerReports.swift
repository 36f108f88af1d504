import LibC

/// Takes what a `WorkerProcess` reports of itself: packets, on the socket by which sockets are passed to it.
///
/// The loop keeps it until the process has ended. What the process sends isn't trusted: it is bounded in length, and so is how
/// much of it is taken in a turn of the loop.
final class WorkerReports: Registrant {
    /// The longest report, in bytes. Less than a socket takes at once.
    static let maximumBytes = 128 << 10
    private static let packetsInTurn = 4

    private let loop: EventLoop
    private var didReport: ((UnsafeRawBufferPointer) -> Void)?
    private var input: Descriptor?
    private var registration: RegistrationToken?

    /// On the loop only.
    ///
    /// - Parameter socket: this process's end, which may have been closed for the other side since.
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

    /// Takes what the process had sent when it ended, and nothing more.
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
                // The true length, also where that is more than there is room for.
                let count = recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
                // A process that ended with sockets that it hadn't taken has reset this one, once; its reports are there.
                if count < 0, errno == EINTR || errno == ECONNRESET { continue }
                if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
                guard count > 0 else { return close() }
                if count <= buffer.count { didReport?(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            }
        }
    }
}
