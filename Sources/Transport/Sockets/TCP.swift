import LibC

/// The settings of every TCP connection, on either side, and TCP's listeners.
package enum TCP {
    /// After so long without a byte the kernel probes whether the peer is still there,
    package static let keepAliveIdle: Duration = .seconds(30)
    /// repeats the probe after so long,
    package static let keepAliveInterval: Duration = .seconds(10)
    /// and closes the connection after so many unanswered probes.
    package static let keepAliveCount: Int32 = 3
    /// A peer that acknowledges none of the sent bytes for so long is gone: its machine or the network failed, or its
    /// process is stopped with full buffers, as in a debugger. The kernel applies it to unanswered probes too.
    package static let userTimeout: Duration = .seconds(60)

    /// Makes the kernel send small messages at once and detect dead peers. On Linux accepted connections inherit the
    /// settings of their listener, so they need no call of this.
    static func configure(_ descriptor: borrowing Descriptor) throws(SystemError) {
        let tcp = Int32(IPPROTO_TCP)
        try Socket.setOption(descriptor, level: tcp, TCP_NODELAY, 1)
        try Socket.setOption(descriptor, level: SOL_SOCKET, SO_KEEPALIVE, 1)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPIDLE, keepAliveIdle.wholeSeconds)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPINTVL, keepAliveInterval.wholeSeconds)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPCNT, keepAliveCount)
        try Socket.setOption(descriptor, level: tcp, TCP_USER_TIMEOUT, userTimeout.clampedMilliseconds)
    }

    /// A socket that listens on the first of the host's addresses that is available.
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
