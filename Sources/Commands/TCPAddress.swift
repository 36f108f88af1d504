import Serving

/// An address to listen on: `PORT`, `HOST:PORT` or `[IPv6]:PORT`.
package struct TCPAddress: Equatable, CustomStringConvertible {
    let host: String
    let port: UInt16

    /// The default address, for a start on a terminal without arguments.
    static let fallback = TCPAddress(host: "127.0.0.1", port: 7351)

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":") else {
            self.init(host: Self.fallback.host, port: try Self.port(text))
            return
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw UsageError(message: "write an IPv6 address in brackets, as in [::1]:8080, not '\(text)'")
        }
        guard !host.isEmpty else { throw UsageError(message: "'\(text)' has no host before its port") }
        self.init(host: String(host), port: try Self.port(String(text[text.index(after: colon)...])))
    }

    static func port(_ text: String) throws -> UInt16 {
        guard let port = UInt16(text) else {
            throw UsageError(message: "a port is a number from 0 to 65535, not '\(text)'")
        }
        return port
    }

    /// Whether the address can be reached from this machine only.
    var isLoopback: Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let isIPv4 = octets.count == 4 && octets.allSatisfy { $0 != nil }
        return host == "localhost" || host == "::1" || (isIPv4 && octets[0] == 127)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
