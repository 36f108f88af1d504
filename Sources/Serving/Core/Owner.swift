/// The one who answers for connections and the sessions that they opened: an address.
///
/// With a token everyone who is let in has the same one, so the token tells nobody apart.
struct Owner: Hashable, Sendable {
    /// For logs.
    let name: String
    /// Behind a loopback address or a Unix socket there may be a proxy with many clients.
    let maybeProxy: Bool

    /// - Parameter peer: as a stream describes it: "192.0.2.1:53214 (WebSocket)", "[::1]:53214", "unix", "stdio".
    init(ofPeer peer: String) {
        let socket = peer.prefix { $0 != " " }
        let port = socket.lastIndex(of: ":")
        name = String(port.map { socket[..<$0] } ?? socket)
        maybeProxy = port == nil || name.hasPrefix("127.") || name == "[::1]" || name == "::1"
    }
}

/// The connections and sessions of a server by their owners. Guarded by `ServerCore`.
struct Owners {
    private struct Holding {
        var connections = 0
        var sessions = 0
    }

    private var holdings: [Owner: Holding] = [:]

    func connections(of owner: Owner) -> Int { holdings[owner]?.connections ?? 0 }
    func sessions(of owner: Owner) -> Int { holdings[owner]?.sessions ?? 0 }

    mutating func add(connections: Int = 0, sessions: Int = 0, to owner: Owner) {
        var holding = holdings[owner] ?? Holding()
        holding.connections += connections
        holding.sessions += sessions
        holdings[owner] = holding.connections == 0 && holding.sessions == 0 ? nil : holding
    }
}
