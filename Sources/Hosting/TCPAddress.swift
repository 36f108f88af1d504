/// A host and a port to listen on.
public struct TCPAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an address as in "127.0.0.1" or "::1".
    public let host: String
    /// With 0, the kernel chooses a free port.
    public let port: UInt16

    /// Makes an address.
    ///
    /// - Parameters:
    ///   - host: a name or an address, an IPv6 one without brackets.
    ///   - port: the port, or 0 for a free one.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Returns the address of a port that only programs of this machine reach.
    ///
    /// - Parameter port: the port, or 0 for a free one.
    public static func loopback(_ port: UInt16) -> TCPAddress {
        TCPAddress(host: "127.0.0.1", port: port)
    }

    /// Whether the address can be reached from this machine only.
    package var isLoopback: Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let isIPv4 = octets.count == 4 && octets.allSatisfy { $0 != nil }
        return host == "localhost" || host == "::1" || (isIPv4 && octets[0] == 127)
    }

    /// The address as it is written: "127.0.0.1:7351" or "[::1]:7351".
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
