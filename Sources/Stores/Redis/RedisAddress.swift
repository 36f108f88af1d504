/// The address of a Redis or Valkey, with this server's user and password there, and the number of its database.
///
/// Written `redis://[USER:PASSWORD@]HOST[:PORT][/DB]` or `unix://[USER:PASSWORD@]/PATH[?db=DB]`, as redis-cli and redis-py
/// do.
package struct RedisAddress: Sendable, Equatable, CustomStringConvertible {
    package enum Place: Sendable, Equatable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    package struct Mistake: Error {
        package let reason: String
    }

    package let place: Place
    package let database: Int
    /// The user; nil for Redis' own, `default`.
    package let user: String?
    /// The password; nil where none is needed.
    package var password: String?

    /// The schemes with which such addresses begin.
    package static let schemes = ["redis", "valkey", "unix"]

    /// Reads an address.
    ///
    /// - Throws: `Mistake`, whose reason doesn't quote the text, as that may have a password.
    package init(_ text: String) throws(Mistake) {
        guard let colon = text.firstRange(of: "://") else {
            throw Mistake(reason: "takes redis://HOST:PORT or unix:///PATH")
        }
        let scheme = text[..<colon.lowerBound]
        let rest = text[colon.upperBound...]
        guard Self.schemes.contains(String(scheme)) else {
            throw Mistake(
                reason: scheme == "rediss" || scheme == "valkeys"
                    ? "takes redis:// without TLS: put a proxy that speaks it, such as stunnel, on this machine"
                    : "takes redis://HOST:PORT or unix:///PATH, and knows no scheme of this name")
        }
        let end = scheme == "unix" ? rest.firstIndex(of: "/") ?? rest.endIndex : rest.endIndex
        // A password may have an unencoded @; a host can't.
        let at = rest[..<end].lastIndex(of: "@")
        (user, password) = try at.map { at throws(Mistake) in try Self.credentials(rest[..<at]) } ?? (nil, nil)
        let target = at.map { rest[rest.index(after: $0)...] } ?? rest
        (place, database) = scheme == "unix" ? try Self.unix(target) : try Self.tcp(target)
    }

    private static func credentials(_ text: Substring) throws(Mistake) -> (user: String?, password: String?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = decoded(parts[0]), let password = parts.count == 2 ? decoded(parts[1]) : "" else {
            throw Mistake(reason: "has a name or a password with a % that begins no two hexadecimal digits: write %25")
        }
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : password)
    }

    private static func tcp(_ text: Substring) throws(Mistake) -> (Place, Int) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !parts[0].contains("?"), parts.count < 2 || !parts[1].contains("?") else {
            throw Mistake(reason: "takes redis://HOST:PORT/DB, and nothing behind a ?")
        }
        var (host, port) = (parts[0], Substring("6379"))
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            let rest = host[host.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw Mistake(reason: "has a host that isn't [IPv6]:PORT")
            }
            if !rest.isEmpty { port = rest.dropFirst() }
            host = host[host.index(after: host.startIndex)..<end]
        } else if let colon = host.firstIndex(of: ":") {
            guard host.lastIndex(of: ":") == colon else {
                throw Mistake(reason: "has a host with several colons: write an IPv6 address in brackets, [::1]")
            }
            port = host[host.index(after: colon)...]
            host = host[..<colon]
        }
        guard !host.isEmpty else { throw Mistake(reason: "names no host: write redis://HOST:PORT") }
        guard let port = UInt16(port), port > 0 else { throw Mistake(reason: "has a port that isn't 1 to 65535") }
        let database = parts.count == 2 && !parts[1].isEmpty ? parts[1] : "0"
        return (.tcp(host: String(host), port: port), try number(database))
    }

    private static func unix(_ text: Substring) throws(Mistake) -> (Place, Int) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("/"), parts[0].utf8.count > 1, let path = decoded(parts[0]) else {
            throw Mistake(reason: "names no socket: write unix:///PATH, with the path from the root on")
        }
        guard parts.count == 2 else { return (.unix(path: path), 0) }
        guard parts[1].hasPrefix("db=") else {
            throw Mistake(reason: "takes ?db=NUMBER behind the path, and nothing else")
        }
        return (.unix(path: path), try number(parts[1].dropFirst(3)))
    }

    private static func number(_ text: Substring) throws(Mistake) -> Int {
        guard let number = UInt16(text) else { throw Mistake(reason: "has a database that is no number") }
        return Int(number)
    }

    /// Decodes `%20` and the like; nil where a % isn't followed by two hexadecimal digits.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count == 2 else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(UInt8(digits[0] * 16 + digits[1]))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address without the user and the password.
    package var description: String {
        switch place {
        case .tcp(let host, let port):
            "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)\(database == 0 ? "" : "/\(database)")"
        case .unix(let path): "unix://\(path)\(database == 0 ? "" : "?db=\(database)")"
        }
    }
}
