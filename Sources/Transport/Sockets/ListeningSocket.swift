import LibC

/// A listening socket from which nobody accepts yet: for a `Listener`, or for a program that is started with it.
package struct ListeningSocket: ~Copyable {
    let descriptor: Descriptor
    /// The address or the path by which clients reach the socket.
    package let address: SocketAddress

    package var isUnix: Bool { address.family == AF_UNIX }

    /// Whether only this machine can reach the socket.
    package var isLocal: Bool { address.isLocal }

    /// The number of the socket's descriptor, for `ChildProcess`.
    package var number: Int32 { descriptor.number }

    /// Listens on TCP, on the first of the host's addresses that is available. May block for the network.
    ///
    /// - Parameter port: with 0, the kernel chooses one.
    /// - Throws: as `Listener.tcp`.
    package init(host: String, port: UInt16) throws(SystemError) {
        let descriptor = try TCP.listen(host: host, port: port)
        let address = try Socket.localAddress(of: descriptor)
        self.descriptor = descriptor
        self.address = address
    }

    /// Takes over a socket that this process was started with. Programs that this process starts don't inherit it.
    ///
    /// - Throws: where the descriptor isn't a listening stream socket of TCP or a path.
    package init(inherited number: Int32) throws(SystemError) {
        var descriptor = Descriptor(owning: number)
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError.last("fcntl", "descriptor \(number)") }
        let isListening = try Self.option(SO_ACCEPTCONN, of: descriptor) != 0
        guard isListening, try Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
            throw SystemError(
                code: EINVAL, call: "listen", subject: "descriptor \(number)",
                reason: "it isn't a stream socket that listens; in a systemd unit that is ListenStream= with Accept=no")
        }
        try descriptor.borrowNonBlocking()
        let address = try Socket.localAddress(of: descriptor)
        guard [AF_INET, AF_INET6, AF_UNIX].contains(address.family) else {
            throw SystemError(
                code: EAFNOSUPPORT, call: "listen", subject: "descriptor \(number)",
                reason: "it is neither of TCP nor a Unix socket")
        }
        if address.family != AF_UNIX { try TCP.configure(descriptor) }
        self.descriptor = descriptor
        self.address = address
    }

    private static func option(_ option: Int32, of descriptor: borrowing Descriptor) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor.number, SOL_SOCKET, option, &value, &length) == 0 else {
            throw SystemError.last("getsockopt", "descriptor \(descriptor.number)")
        }
        return value
    }
}
