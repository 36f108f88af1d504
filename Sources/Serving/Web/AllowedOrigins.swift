/// The origins of web pages that may open a WebSocket. Browsers let every page connect and only send its origin, so the
/// server must check.
package struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: written as browsers do, `https://views.example`, without a path; `*` allows all.
    package init(_ origins: [String] = []) {
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// Returns whether a WebSocket may be opened with these headers.
    ///
    /// - Parameters:
    ///   - origin: the value of `Origin`. Programs other than browsers send none, and may connect.
    ///   - host: the value of `Host`.
    package func allow(_ origin: String?, host: String?) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if origins.contains(origin) || origins.contains("*") { return true }
        guard let host = host?.lowercased(), Self.isOwn(host) else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// Returns whether a request that isn't for a page, as for figures, may be answered under this host without a token. A
    /// browser always sends a host.
    ///
    /// - Parameter host: the value of `Host`.
    func allow(host: String?) -> Bool {
        guard let host = host?.lowercased() else { return true }
        return Self.isOwn(host) || !origins.isDisjoint(with: ["*", "http://\(host)", "https://\(host)"])
    }

    /// Returns whether a page of this host is certainly the server's own: its name is an IP address or `localhost`. Somebody
    /// else's DNS may have pointed any other name at this machine (DNS rebinding).
    static func isOwn(_ host: String) -> Bool {
        let name = withoutPort(host)
        if name.hasPrefix("[") || name == "localhost" || name.hasSuffix(".localhost") { return true }
        let octets = name.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets.allSatisfy { UInt8($0) != nil }
    }

    private static func withoutPort(_ host: String) -> Substring {
        guard let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber) else {
            return host[...]
        }
        return host[..<colon]
    }
}
