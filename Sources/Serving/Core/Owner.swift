package import Sessions
import Transport

/// The one who answers for connections and for the sessions that they opened: the principal whose token a client has
/// carried, or else an address.
package struct Owner: Sendable {
    /// The name of the principal, or the address. Only a principal's has a blank in it.
    package let name: String
    /// Whether the peer may be a proxy with many clients: it is behind a loopback address, a Unix socket or stdio.
    package let maybeProxy: Bool

    /// - Parameter peer: the peer as a stream describes it: "192.0.2.1:53214 (WebSocket)", "[::1]:53214", "unix", "stdio".
    package init(ofPeer peer: String) {
        let socket = peer.prefix { $0 != " " }
        let port = socket.lastIndex(of: ":")
        name = String(port.map { socket[..<$0] } ?? socket)
        maybeProxy = port == nil || name.hasPrefix("127.") || name == "[::1]" || name == "localhost"
    }

    /// - Parameter principal: the name of a token.
    init(principal: String) {
        name = "principal \(principal)"
        maybeProxy = false
    }

    /// Returns the person whose sessions a client finds, as they are known in the store: a principal or, where the client's
    /// token has no name, a user of the system.
    ///
    /// - Parameter user: the id of the user for whom the peer counts.
    static func person(principal: String?, user: UInt32) -> String {
        principal.map { Owner(principal: $0).name } ?? "user \(user)"
    }

    /// Returns the principal that an owner is; nil for an address.
    static func principal(of owner: String) -> String? {
        let prefix = "principal "
        return owner.hasPrefix(prefix) ? String(owner.dropFirst(prefix.count)) : nil
    }

    /// The owners of sessions that clients without a principal open on this machine: `Owner.init(ofPeer:)` of a Unix socket,
    /// of standard input and output, and of a stream in memory.
    private static let localNames = ["unix", "stdio", "memory"]

    /// Whether an owner isn't an address, at which anybody may be.
    static func isLocal(_ owner: String) -> Bool { localNames.contains(owner) || isUser(owner) }

    private static func isUser(_ owner: String) -> Bool { owner.hasPrefix("user ") }

    /// Returns the owners under which the store has the sessions that a person has opened.
    static func names(of person: String) -> [String] {
        person == self.person(principal: nil, user: ThisProcess.userID) ? localNames + [person] : [person]
    }

    /// Returns the owner under which the store has a session that a person opens. All users of a Unix socket count as one
    /// owner, but each finds their own sessions in a list.
    static func stored(_ owner: String, _ person: String) -> String {
        localNames.contains(owner) && !names(of: person).contains(owner) ? person : owner
    }

    /// Returns the person who has opened a stored session that only its key finds: the principal or, where none is known, the
    /// user whose server this is.
    static func person(ofStored owner: String) -> String {
        isUser(owner) ? owner : person(principal: principal(of: owner), user: ThisProcess.userID)
    }

    /// Returns where an owner's connections come from, in words, as in "16 sessions were opened from this address".
    static func origin(of name: String) -> String {
        name.contains(" ") ? "by \(name)" : "from this address"
    }

    /// Returns the limit that one more connection would exceed; nil where there is room.
    ///
    /// - Parameters:
    ///   - connections: the number of all open connections.
    ///   - own: the number of this owner's.
    package func exceededLimit(_ limits: Limits, connections: Int, own: Int) -> (name: String, message: String)? {
        if connections >= limits.connections {
            return ("connections", "the server has \(limits.connections) connections; try again when others have ended")
        }
        guard !maybeProxy, own >= limits.addressConnections else { return nil }
        let count = "\(limits.addressConnections) connections are open"
        return ("addressConnections", "\(count) \(Self.origin(of: name)); close others first")
    }
}
