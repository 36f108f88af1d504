import LibC

/// An address to listen on or to connect to: IPv4, IPv6 or a path.
package struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage = sockaddr_storage()
    private(set) var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// Makes an empty address, for a system call to fill.
    init() {}

    /// Resolves a host to its addresses, best first. Any thread may call this.
    ///
    /// - Parameters:
    ///   - host: a name or a number. A name that isn't in /etc/hosts is looked up on the network and blocks the thread, so
    ///     use only numbers and `localhost` on a loop.
    ///   - isPassive: whether the addresses are to be listened on; an empty host then means every address of the machine.
    /// - Throws: the resolver's error, with its message.
    package static func resolve(
        host: String, port: UInt16, isPassive: Bool = false
    ) throws(SystemError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isPassive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
        let error = code == EAI_SYSTEM ? errno : EADDRNOTAVAIL
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            let reason = code == EAI_SYSTEM ? nil : String(cString: gai_strerror(code))
            throw SystemError(code: error, call: "getaddrinfo", subject: host, reason: reason)
        }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            if let address = info.ai_addr { addresses.append(SocketAddress(address, length: info.ai_addrlen)) }
            next = info.ai_next
        }
        return addresses
    }

    /// Makes the address of a Unix socket.
    ///
    /// - Throws: when the path is empty, has a zero byte, or more than the 107 bytes that the kernel takes.
    package init(path: String) throws(SystemError) {
        let bytes = Array(path.utf8)
        let limit = Self.maximumPathBytes
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw SystemError(code: EINVAL, call: "socket", subject: path, reason: "is not a path for a Unix socket")
        }
        guard bytes.count <= limit else {
            let reason = "the path has \(bytes.count) bytes, a Unix socket's may have \(limit)"
            throw SystemError(code: ENAMETOOLONG, call: "socket", subject: path, reason: reason)
        }
        storage.ss_family = sa_family_t(AF_UNIX)
        let start = Self.pathOffset
        withUnsafeMutableBytes(of: &storage) { raw in
            for (index, byte) in bytes.enumerated() { raw[start + index] = byte }
        }
        length = socklen_t(start + bytes.count + 1)
    }

    private init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) { raw in
            raw.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
        }
        self.length = socklen_t(count)
    }

    private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    static let maximumPathBytes = MemoryLayout<sockaddr_un>.size - pathOffset - 1

    var family: Int32 { Int32(storage.ss_family) }

    /// The port; nil for a path.
    package var port: UInt16? {
        withUnsafeBytes(of: storage) { raw in
            switch family {
            case AF_INET: UInt16(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_port)
            case AF_INET6: UInt16(bigEndian: raw.loadUnaligned(as: sockaddr_in6.self).sin6_port)
            default: nil
            }
        }
    }

    /// Whether only this machine can reach the address: it is a path or a loopback address.
    var isLocal: Bool {
        withUnsafeBytes(of: storage) { raw in
            switch family {
            case AF_INET: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr.bigEndian >> 24 == 127
            case AF_INET6: host == "::1" || host.hasPrefix("::ffff:127.")
            default: family == AF_UNIX
            }
        }
    }

    /// The address in words: "127.0.0.1:53214", "[::1]:53214", or the path; "unix" for a socket without one.
    package var description: String {
        switch family {
        case AF_INET: "\(host):\(port ?? 0)"
        case AF_INET6: "[\(host)]:\(port ?? 0)"
        default: path
        }
    }

    private var host: String {
        withSocketAddress { address, length in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
                guard
                    let start = buffer.baseAddress,
                    getnameinfo(address, length, start, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
                else { return "?" }
                return String(cString: start)
            }
        }
    }

    private var path: String {
        guard Int(length) > Self.pathOffset else { return "unix" }
        return withUnsafeBytes(of: storage) { raw in
            String(decoding: raw[Self.pathOffset..<min(Int(length), raw.count)].prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafeBytes(of: storage) { raw in
            // sockaddr_storage is made to be seen as any sockaddr, and is never empty.
            withExtendedLifetime(self) {
                body(raw.assumingMemoryBound(to: sockaddr.self).baseAddress.unsafelyUnwrapped, length)
            }
        }
    }

    /// Calls a function that fills the address in, such as `accept` or `getsockname`.
    mutating func fill<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        var filled = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutableBytes(of: &storage) { raw in
            body(raw.assumingMemoryBound(to: sockaddr.self).baseAddress.unsafelyUnwrapped, &filled)
        }
        length = min(filled, socklen_t(MemoryLayout<sockaddr_storage>.size))
        return result
    }
}
