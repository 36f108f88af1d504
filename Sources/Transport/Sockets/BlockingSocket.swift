import LibC

/// A connection for a dedicated thread: each call blocks. It must not be used on a loop.
///
/// Every wait has a limit, so that a peer that hangs is an error (`ETIMEDOUT`). After an error the connection is useless.
package final class BlockingSocket {
    private let descriptor: Descriptor
    private let subject: String
    private let timeLimit: Duration

    /// Connects to the first of these addresses that accepts.
    ///
    /// - Parameter timeLimit: the limit for connecting to each address, and later for each wait for bytes or for room.
    /// - Throws: the error of the last address.
    package convenience init(connectingTo addresses: [SocketAddress], timeLimit: Duration) throws(SystemError) {
        var failure = SystemError(code: EADDRNOTAVAIL, call: "connect")
        for address in addresses {
            do throws(SystemError) {
                try self.init(address, timeLimit)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private init(_ address: SocketAddress, _ timeLimit: Duration) throws(SystemError) {
        let descriptor = try Socket.make(family: address.family)
        if address.family != AF_UNIX { try TCP.configure(descriptor) }
        let number = descriptor.number
        let subject = address.description
        let result = address.withSocketAddress { LibC.connect(number, $0, $1) }
        if result != 0 {
            // A non-blocking connect that was interrupted goes on by itself.
            guard errno == EINPROGRESS || errno == EINTR else { throw SystemError.last("connect", subject) }
            try Self.wait(for: Int16(POLLOUT), number, atMost: timeLimit, "connect", subject)
            let code = Socket.takeError(of: descriptor)
            guard code == 0 else { throw SystemError(code: code, call: "connect", subject: subject) }
        }
        self.descriptor = descriptor
        self.subject = subject
        self.timeLimit = timeLimit
    }

    /// Writes all the bytes.
    ///
    /// - Throws: when the peer has left, or takes nothing for the time limit. Any part may have been written.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[start...])
                return send(descriptor.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                start += count
            } else if errno == EAGAIN {
                try Self.wait(for: Int16(POLLOUT), descriptor.number, atMost: timeLimit, "write", subject)
            } else if errno != EINTR {
                throw SystemError.last("write", subject)
            }
        }
    }

    /// Reads the next bytes; empty at the end of the input.
    ///
    /// - Throws: when the connection fails, or nothing comes for the time limit.
    package func read(atMost limit: Int = 1 << 16) throws(SystemError) -> [UInt8] {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                result = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
                count = max(0, result)
            }
            if result >= 0 { return bytes }
            if errno == EAGAIN {
                try Self.wait(for: Int16(POLLIN), descriptor.number, atMost: timeLimit, "read", subject)
            } else if errno != EINTR {
                throw SystemError.last("read", subject)
            }
        }
    }

    private static func wait(
        for events: Int16, _ number: Int32, atMost limit: Duration, _ call: String, _ subject: String
    ) throws(SystemError) {
        let deadline = ContinuousClock.now + limit
        while true {
            var entry = pollfd(fd: number, events: events, revents: 0)
            let rest = max(.zero, deadline - .now)
            // Rounded up, so as not to poll without waiting.
            let count = poll(&entry, 1, (rest + .microseconds(999)).clampedMilliseconds)
            // An error of the connection is reported by the call that follows.
            if count > 0 { return }
            if count < 0, errno != EINTR { throw SystemError.last("poll", subject) }
            if count == 0, rest == .zero { throw SystemError(code: ETIMEDOUT, call: call, subject: subject) }
        }
    }
}
