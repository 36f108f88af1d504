import LibC

/// How to read and write a descriptor that a stream owns, without ever waiting.
///
/// Sockets are asked not to wait call by call (`MSG_DONTWAIT`), so that the flags of a socket which a parent process
/// shares stay as they are; everything else is non-blocking already or never blocks.
struct Channel {
    let number: Int32
    let isSocket: Bool

    enum Transfer: Equatable {
        /// So many bytes; of a read, 0 is the end of input.
        case bytes(Int)
        case wouldBlock
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

    /// Nil: a signal came in between, and the call is to be made again.
    private static func transfer(_ count: Int) -> Transfer? {
        if count >= 0 { return .bytes(count) }
        switch errno {
        case EINTR: return nil
        case EAGAIN, EWOULDBLOCK: return .wouldBlock
        case let code: return .failed(code)
        }
    }
}
