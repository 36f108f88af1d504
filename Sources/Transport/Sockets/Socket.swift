import LibC

/// Makes sockets that are non-blocking and closed on exec from the first moment.
package enum Socket {
    static func make(family: Int32) throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return try Descriptor(socket(family, type, 0), "socket")
    }

    static func bind(_ descriptor: borrowing Descriptor, to address: SocketAddress) throws(SystemError) {
        let number = descriptor.number
        guard address.withSocketAddress({ LibC.bind(number, $0, $1) }) == 0 else {
            throw SystemError.last("bind", address.description)
        }
    }

    static func listen(_ descriptor: borrowing Descriptor, _ subject: String) throws(SystemError) {
        // The kernel lowers the number to net.core.somaxconn.
        guard LibC.listen(descriptor.number, Int32.max) == 0 else { throw SystemError.last("listen", subject) }
    }

    static func localAddress(of descriptor: borrowing Descriptor) throws(SystemError) -> SocketAddress {
        let number = descriptor.number
        var address = SocketAddress()
        guard address.fill({ getsockname(number, $0, $1) }) == 0 else { throw SystemError.last("getsockname") }
        return address
    }

    /// Takes the error that made a connection fail, which the kernel reports only once; 0 for none.
    static func takeError(of descriptor: borrowing Descriptor) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }

    static func setOption(
        _ descriptor: borrowing Descriptor, level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor.number, level, option, &value, size) == 0 else {
            throw SystemError.last("setsockopt", "option \(option)")
        }
    }
}

/// The settings of every TCP connection, on either side, and of TCP's listeners.
enum TCP {
    /// The time without a byte after which the kernel probes whether the peer is still there.
    private static let keepAliveIdle: Duration = .seconds(30)
    /// The time between two probes.
    private static let keepAliveInterval: Duration = .seconds(10)
    /// The number of unanswered probes after which the connection is closed.
    private static let keepAliveCount: Int32 = 3
    /// The time after which a peer that acknowledges none of the sent bytes counts as gone: its machine or the network
    /// failed, or its process is stopped with full buffers, as in a debugger. The kernel applies this time to unanswered
    /// probes, too.
    private static let userTimeout: Duration = .seconds(60)

    /// Makes the kernel send small messages at once and detect dead peers. On Linux, accepted connections inherit these
    /// settings from their listener, so this needn't be called for them.
    static func configure(_ descriptor: borrowing Descriptor) throws(SystemError) {
        let tcp = Int32(IPPROTO_TCP)
        try Socket.setOption(descriptor, level: tcp, TCP_NODELAY, 1)
        try Socket.setOption(descriptor, level: SOL_SOCKET, SO_KEEPALIVE, 1)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPIDLE, keepAliveIdle.wholeSeconds)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPINTVL, keepAliveInterval.wholeSeconds)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPCNT, keepAliveCount)
        try Socket.setOption(descriptor, level: tcp, TCP_USER_TIMEOUT, userTimeout.clampedMilliseconds)
    }

    /// Makes a socket that listens on the first of the host's addresses that is available.
    static func listen(host: String, port: UInt16) throws(SystemError) -> Descriptor {
        var failure = SystemError(code: EADDRNOTAVAIL, call: "bind", subject: host)
        for address in try SocketAddress.resolve(host: host, port: port, isPassive: true) {
            do throws(SystemError) {
                return try listen(on: address)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func listen(on address: SocketAddress) throws(SystemError) -> Descriptor {
        let descriptor = try Socket.make(family: address.family)
        // A restarted server must not wait for the connections of its predecessor to time out.
        try Socket.setOption(descriptor, level: SOL_SOCKET, SO_REUSEADDR, 1)
        try configure(descriptor)
        try Socket.bind(descriptor, to: address)
        try Socket.listen(descriptor, address.description)
        return descriptor
    }
}

extension Duration {
    fileprivate var wholeSeconds: Int32 { Int32(clamping: components.seconds) }
}
