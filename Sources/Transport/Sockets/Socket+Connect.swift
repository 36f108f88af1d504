import LibC

extension Socket {
    /// Connects over TCP, to each address of the host in turn until one accepts. Called on the loop only.
    ///
    /// - Parameters:
    ///   - host: a name or a number. A name that needs the network blocks the loop, see `SocketAddress.resolve`.
    ///   - completion: called once, on the loop, never inline. The stream isn't started.
    package static func connect(
        host: String, port: UInt16, on loop: EventLoop,
        completion: @escaping (Result<DescriptorStream, SystemError>) -> Void
    ) {
        loop.preconditionIsCurrent()
        do {
            connect(to: try SocketAddress.resolve(host: host, port: port), on: loop, completion: completion)
        } catch {
            loop.executeHere { completion(.failure(error)) }
        }
    }

    /// Connects to the first of these addresses that accepts; otherwise the same as `connect(host:port:on:completion:)`.
    package static func connect(
        to addresses: [SocketAddress], on loop: EventLoop,
        completion: @escaping (Result<DescriptorStream, SystemError>) -> Void
    ) {
        loop.preconditionIsCurrent()
        ConnectAttempt(addresses, on: loop, completion: completion).begin()
    }

    /// Connects to a Unix socket; otherwise the same as `connect(host:port:on:completion:)`.
    package static func connect(
        path: String, on loop: EventLoop,
        completion: @escaping (Result<DescriptorStream, SystemError>) -> Void
    ) {
        loop.preconditionIsCurrent()
        do {
            connect(to: [try SocketAddress(path: path)], on: loop, completion: completion)
        } catch {
            loop.executeHere { completion(.failure(error)) }
        }
    }
}

/// A connect in progress. The loop retains it until it has called back.
private final class ConnectAttempt: Registrant {
    private let loop: EventLoop
    private var addresses: ArraySlice<SocketAddress>
    private var completion: ((Result<DescriptorStream, SystemError>) -> Void)?
    private var current: SocketAddress?
    private var descriptor: Descriptor?
    private var registration: RegistrationToken?

    init(
        _ addresses: [SocketAddress], on loop: EventLoop,
        completion: @escaping (Result<DescriptorStream, SystemError>) -> Void
    ) {
        self.addresses = addresses[...]
        self.loop = loop
        self.completion = completion
    }

    func begin() {
        tryNext(after: SystemError(code: EADDRNOTAVAIL, call: "connect"))
    }

    private func tryNext(after error: SystemError) {
        guard let address = addresses.popFirst() else { return complete(.failure(error)) }
        do {
            try connect(to: address)
        } catch {
            tryNext(after: error)
        }
    }

    private func connect(to address: SocketAddress) throws(SystemError) {
        let descriptor = try Socket.make(family: address.family)
        if address.family != AF_UNIX { try TCP.configure(descriptor) }
        let number = descriptor.number
        let result = address.withSocketAddress { LibC.connect(number, $0, $1) }
        // A non-blocking connect that was interrupted goes on by itself.
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw SystemError.last("connect", address.description)
        }
        current = address
        self.descriptor = consume descriptor
        let registration = loop.core.register(self, descriptor: number)
        self.registration = registration
        do {
            try loop.core.setInterest(.write, of: registration)
        } catch {
            withdraw()
            self.descriptor = nil
            throw error
        }
    }

    func didBecomeReady(_ readiness: Interest) {
        withdraw()
        guard let descriptor = descriptor.take(), let current else { return }
        let code = Socket.takeError(of: descriptor)
        guard code == 0 else {
            return tryNext(after: SystemError(code: code, call: "connect", subject: current.description))
        }
        let peer = current.family == AF_UNIX ? "unix" : current.description
        complete(.success(DescriptorStream(descriptor, peer: peer, loop: loop)))
    }

    func loopWillEnd() {
        withdraw()
        descriptor = nil
        complete(.failure(SystemError(code: ECANCELED, call: "connect", subject: current?.description ?? "")))
    }

    private func withdraw() {
        if let registration { loop.core.withdraw(registration) }
        registration = nil
    }

    private func complete(_ result: Result<DescriptorStream, SystemError>) {
        guard let completion else { return }
        self.completion = nil
        loop.executeHere { completion(result) }
    }
}

extension Socket {
    /// Connects two loops of this process, as a client and its listener are on a Unix socket. Called on `near` only.
    ///
    /// - Parameter accept: called on `far` with the other end, unless that loop has ended; sets the handler and starts the
    ///   stream.
    /// - Returns: the end on `near`, which isn't started.
    package static func pair(
        from near: EventLoop, to far: EventLoop, accept: @escaping @Sendable (DescriptorStream) -> Void
    ) throws(SystemError) -> DescriptorStream {
        let pair = try SocketPair(ofPackets: false)
        let parcel = DescriptorParcel(pair.there)
        far.execute {
            guard let descriptor = parcel.take() else { return }
            accept(DescriptorStream(descriptor, peer: Listener.unixPeer, loop: far))
        }
        return DescriptorStream(pair.here, peer: Listener.unixPeer, loop: near)
    }
}
