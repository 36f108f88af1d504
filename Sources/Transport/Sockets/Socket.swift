import LibC

/// Makes sockets, non-blocking and closed on exec from the first moment.
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
        // The kernel lowers it to net.core.somaxconn.
        guard LibC.listen(descriptor.number, Int32.max) == 0 else { throw SystemError.last("listen", subject) }
    }

    static func localAddress(of descriptor: borrowing Descriptor) throws(SystemError) -> SocketAddress {
        let number = descriptor.number
        var address = SocketAddress()
        guard address.fill({ getsockname(number, $0, $1) }) == 0 else { throw SystemError.last("getsockname") }
        return address
    }

    /// The error that made a connection fail, which the kernel reports once; 0 for none.
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
