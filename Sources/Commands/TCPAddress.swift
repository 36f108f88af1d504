import Hosting

// An address on the command line: `PORT`, `HOST:PORT` or `[IPv6]:PORT`.
extension TCPAddress {
    /// The default address, for a start on a terminal without arguments.
    static let fallback = TCPAddress.loopback(7351)

    init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":") else {
            self = .loopback(try Self.port(text))
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
}
