/// Which web pages may open a WebSocket: a browser lets every page connect everywhere, and says only where the page came from.
package struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: as browsers write them, `https://views.example`, without a path; `*` allows all.
    package init(_ origins: [String] = []) {
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// - Parameters:
    ///   - origin: the header of this name. Programs that are no browsers send none, and aren't what this is about.
    ///   - host: what the client calls this server.
    func allow(_ origin: String?, host: String?) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if origins.contains(origin) || origins.contains("*") { return true }
        guard let host = host?.lowercased(), Self.isOwn(host) else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// Only where the host is called by a number or `localhost`, the server's own page is known by it: any other name may be one
    /// that somebody else's DNS has just made to mean this machine.
    private static func isOwn(_ host: String) -> Bool {
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
