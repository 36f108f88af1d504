import LibC

/// Accepts connections on a TCP port or a Unix socket, and hands them to loops, in turn.
///
/// A listener belongs to the loop on which it was made. The loop retains it until it is closed or the loop ends.
package final class Listener: Registrant {
    /// The most connections accepted in one turn; more wait in the kernel for the next turn.
    private static let acceptsPerTurn = 64
    /// How long nothing is accepted when descriptors or memory have run out.
    private static let pauseWhenExhausted: Duration = .milliseconds(100)
    /// The description of a Unix socket's peer.
    static let unixPeer = "unix"

    /// The address: "127.0.0.1:8080", "[::1]:8080" or the path; with port 0 the port that the kernel chose.
    package let address: String
    /// The port; nil for a Unix socket.
    package let port: UInt16?

    private let loop: EventLoop
    private let targets: [EventLoop]
    private var nextTarget = 0
    private let accept: @Sendable (DescriptorStream) -> Void
    private let didFail: (SystemError) -> Void

    private var descriptor: Descriptor?
    private var file: UnixSocketFile?
    private var registration: RegistrationToken?
    private var pause: LoopTimer?
    /// A spare descriptor. It is closed for a moment when no other is left, so that a waiting client can be accepted and
    /// closed at once instead of hanging.
    private var reserve: Descriptor?

    /// Listens on TCP. Called on `loop` only.
    ///
    /// - Parameters:
    ///   - host: an empty host is every address of the machine.
    ///   - port: with 0, the kernel chooses one.
    ///   - targets: the loops that get the connections, in turn; with none, `loop` gets all.
    ///   - didFail: called on `loop` when a connection had to be refused or to wait.
    ///   - accept: called on the loop of the stream; sets the handler and starts the stream.
    /// - Throws: when the host has no address, or none that can be listened on.
    package static func tcp(
        host: String, port: UInt16, on loop: EventLoop, handingTo targets: [EventLoop] = [],
        didFail: @escaping (SystemError) -> Void = { _ in },
        accept: @escaping @Sendable (DescriptorStream) -> Void
    ) throws(SystemError) -> Listener {
        let socket = try ListeningSocket(host: host, port: port)
        return try .over(socket, on: loop, handingTo: targets, didFail: didFail, accept: accept)
    }

    /// Accepts from a socket that listens already. Others may hold the socket, too: clients that connect after the end of
    /// this listener wait for the next one. Otherwise the same as `tcp`.
    ///
    /// - Throws: when the loop can't watch the socket.
    package static func over(
        _ socket: consuming ListeningSocket, on loop: EventLoop, handingTo targets: [EventLoop] = [],
        didFail: @escaping (SystemError) -> Void = { _ in },
        accept: @escaping @Sendable (DescriptorStream) -> Void
    ) throws(SystemError) -> Listener {
        let address = socket.address
        return try Listener(
            socket.descriptor, at: address, file: nil, on: loop, targets: targets, didFail: didFail, accept: accept)
    }

    /// Listens on a Unix socket. Its file has mode 0600, and replaces the file of a server that died. Otherwise the same as
    /// `tcp`.
    ///
    /// - Throws: when another server listens there, the path is that of a file that isn't a socket, or the path is too long.
    package static func unix(
        path: String, on loop: EventLoop, handingTo targets: [EventLoop] = [],
        didFail: @escaping (SystemError) -> Void = { _ in },
        accept: @escaping @Sendable (DescriptorStream) -> Void
    ) throws(SystemError) -> Listener {
        var file = try UnixSocketFile(path: path)
        let descriptor = try file.listen()
        return try Listener(
            descriptor, at: SocketAddress(path: path), file: file, on: loop, targets: targets, didFail: didFail,
            accept: accept)
    }

    private init(
        _ descriptor: consuming Descriptor, at local: SocketAddress, file: UnixSocketFile?, on loop: EventLoop,
        targets: [EventLoop], didFail: @escaping (SystemError) -> Void,
        accept: @escaping @Sendable (DescriptorStream) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        address = local.description
        port = local.port
        self.loop = loop
        self.targets = targets.isEmpty ? [loop] : targets
        self.accept = accept
        self.didFail = didFail
        self.file = file
        let number = descriptor.number
        self.descriptor = consume descriptor
        reserve = Self.openReserve()
        let registration = loop.core.register(self, descriptor: number)
        self.registration = registration
        do {
            try loop.core.setInterest(.read, of: registration)
        } catch {
            close()
            throw error
        }
    }

    /// Accepts no more, and removes the socket's file. Accepted connections live on. Called on the loop only; more than once
    /// is fine.
    package func close() {
        loop.preconditionIsCurrent()
        // The file first: a client that connects before the socket is closed finds it gone or is refused, and never
        // waits in vain.
        file?.remove()
        file = nil
        if let registration { loop.core.withdraw(registration) }
        registration = nil
        pause?.cancel()
        pause = nil
        descriptor = nil
        reserve = nil
    }

    func loopWillEnd() {
        close()
    }

    func didBecomeReady(_ readiness: Interest) {
        for _ in 0..<Self.acceptsPerTurn {
            guard let listening = descriptor?.number, acceptOne(listening) else { return }
        }
    }

    /// Accepts one connection. Returns false when there is no more to accept for now.
    private func acceptOne(_ listening: Int32) -> Bool {
        var address = SocketAddress()
        let number = address.fill { clinux_accept(listening, $0, $1) }
        guard number >= 0 else { return didFailToAccept(errno, listening) }
        guard !DescriptorLimit.isKept(number) else {
            _ = Descriptor(owning: number)
            didFail(SystemError(code: EMFILE, call: "accept", subject: self.address))
            return true
        }
        hand(Descriptor(owning: number), peer: port == nil ? Self.unixPeer : address.description)
        return true
    }

    private func hand(_ accepted: consuming Descriptor, peer: String) {
        let target = targets[nextTarget]
        nextTarget = (nextTarget + 1) % targets.count
        if target === loop {
            accept(DescriptorStream(accepted, peer: peer, loop: loop))
        } else {
            let parcel = DescriptorParcel(accepted)
            target.execute { [accept] in
                guard let descriptor = parcel.take() else { return }
                accept(DescriptorStream(descriptor, peer: peer, loop: target))
            }
        }
    }

    private func didFailToAccept(_ code: Int32, _ listening: Int32) -> Bool {
        switch code {
        case EAGAIN, EWOULDBLOCK:
            return false
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            return refuseOne(listening, because: code)
        default:
            // The connection ended before it was accepted, or the network reports an error (accept(2) says to go on).
            return true
        }
    }

    /// Accepts a client with the descriptor of the reserve, and closes it.
    ///
    /// Pauses when another thread has taken that descriptor first, or when memory ran out. The kernel reports that
    /// descriptors ran out before it checks whether a client waits: often none does.
    ///
    /// - Returns: whether there may be more to refuse.
    private func refuseOne(_ listening: Int32, because code: Int32) -> Bool {
        reserve = nil
        let number = clinux_accept(listening, nil, nil)
        let isNobodyWaiting = number < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
        if number >= 0 { _ = Descriptor(owning: number) }
        reserve = Self.openReserve()
        if reserve == nil || (number < 0 && !isNobodyWaiting) { pauseAccepting() }
        if !isNobodyWaiting { didFail(SystemError(code: code, call: "accept", subject: address)) }
        return number >= 0 && pause == nil
    }

    private func pauseAccepting() {
        guard let registration else { return }
        // Removing the interest can't fail.
        try? loop.core.setInterest([], of: registration)
        let bound = LoopBound(self, loop: loop)
        pause = loop.schedule(after: Self.pauseWhenExhausted) { bound.value.resumeAccepting() }
    }

    private func resumeAccepting() {
        pause = nil
        guard let registration else { return }
        if reserve == nil { reserve = Self.openReserve() }
        do {
            try loop.core.setInterest(.read, of: registration)
        } catch {
            pauseAccepting()
        }
    }

    private static func openReserve() -> Descriptor? {
        try? Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC), "open", "/dev/null")
    }
}
