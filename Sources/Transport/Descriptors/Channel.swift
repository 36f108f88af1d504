import LibC

/// Reads and writes a stream's descriptor without ever blocking.
///
/// Each call on a socket asks not to block (`MSG_DONTWAIT`), so the flags of a socket that a parent process shares stay as
/// they are. All other descriptors are non-blocking already, or never block.
struct Channel {
    let number: Int32
    let isSocket: Bool

    enum Transfer: Equatable {
        /// The number of bytes; 0 from a read is the end of input.
        case bytes(Int)
        case wouldBlock
        /// The call's `errno`.
        case failed(Int32)
    }

    init(_ descriptor: borrowing Descriptor) {
        number = descriptor.number
        isSocket = descriptor.isSocket
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count =
                isSocket
                ? recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                : LibC.read(number, buffer.baseAddress, buffer.count)
            if let transfer = Self.transfer(count) { return transfer }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count =
                isSocket
                ? send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
                : LibC.write(number, bytes.baseAddress, bytes.count)
            if let transfer = Self.transfer(count) { return transfer }
        }
    }

    /// Returns the outcome of a call; nil when a signal interrupted the call, which is then made again.
    private static func transfer(_ count: Int) -> Transfer? {
        if count >= 0 { return .bytes(count) }
        switch errno {
        case EINTR: return nil
        case EAGAIN, EWOULDBLOCK: return .wouldBlock
        case let code: return .failed(code)
        }
    }
}
