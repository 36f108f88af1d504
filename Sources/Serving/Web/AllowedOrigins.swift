/// The origins of web pages that may open a WebSocket. Browsers let every page connect, and only name its origin.
package struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: in the form of browsers, `https://views.example`, without a path; `*` allows all.
    package init(_ origins: [String] = []) {
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// - Parameters:
    ///   - origin: the header `Origin`. Programs other than browsers send none, and may connect.
    ///   - host: the header `Host`.
    package func allow(_ origin: String?, host: String?) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if origins.contains(origin) || origins.contains("*") { return true }
        guard let host = host?.lowercased(), Self.isOwn(host) else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// Whether what is no page may be read under this host by whoever can connect. A browser always names one.
    ///
    /// - Parameter host: the header `Host`.
    func allow(host: String?) -> Bool {
        guard let host = host?.lowercased() else { return true }
        return Self.isOwn(host) || !origins.isDisjoint(with: ["*", "http://\(host)", "https://\(host)"])
    }

    /// Whether a page of this host is certainly the server's own: its name is a number or `localhost`. Any other name
    /// may have been pointed at this machine by somebody else's DNS (DNS rebinding).
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
