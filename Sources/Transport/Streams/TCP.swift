import LibC

/// What every TCP connection is set to, on either side.
package enum TCP {
    /// A connection on which nothing was said for so long is asked whether the peer is still there,
    package static let keepAliveIdle: Duration = .seconds(30)
    /// again after so long,
    package static let keepAliveInterval: Duration = .seconds(10)
    /// and after so many questions without an answer it is closed.
    package static let keepAliveCount: Int32 = 3
    /// A peer that takes nothing of what it was sent for so long is gone: its machine, the network, or a process that stands
    /// still with full buffers, as in a debugger. The kernel applies it to unanswered keep-alive questions too.
    package static let userTimeout: Duration = .seconds(60)

    /// Small messages go out at once, dead peers are found. Linux hands a listener's settings down to what it accepts, so
    /// that a connection costs no call of these.
    static func configure(_ descriptor: borrowing Descriptor) throws(SystemError) {
        let tcp = Int32(IPPROTO_TCP)
        try Socket.setOption(descriptor, level: tcp, TCP_NODELAY, 1)
        try Socket.setOption(descriptor, level: SOL_SOCKET, SO_KEEPALIVE, 1)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPIDLE, keepAliveIdle.wholeSeconds)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPINTVL, keepAliveInterval.wholeSeconds)
        try Socket.setOption(descriptor, level: tcp, TCP_KEEPCNT, keepAliveCount)
        try Socket.setOption(descriptor, level: tcp, TCP_USER_TIMEOUT, userTimeout.clampedMilliseconds)
    }

    /// A socket that listens on the first of the host's addresses that can be had.
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
        // A server that was just restarted must not wait for the connections of its predecessor to time out.
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
