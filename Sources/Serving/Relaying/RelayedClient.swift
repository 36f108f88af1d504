import JSON
import ViewModelProtocol

/// A client that a server has let in, as described to another server or to the client's process, which has its sessions.
package final class RelayedClient: Codable, Sendable {
    /// The client as its stream describes it, for the log.
    let peer: String
    /// The name of the token that the client sent; nil where the token has none.
    let principal: String?
    /// The person whose sessions the client finds: see `Owner.person`.
    let person: String
    /// The highest view number that the client got from an earlier process: numbers aren't used again.
    let lastView: Int
    /// The owner for whom the client's sessions count.
    let owner: String
    /// Whether this process has all views of the client. Absent where another server relays the client.
    private let hasAllViews: Bool?

    /// The kind of server that relays a client.
    enum Origin {
        /// Another server with the same store, which numbers the client's views.
        case otherServer
        /// The server that started this process. All the client's views are here, and are numbered here.
        case process
    }

    var origin: Origin { hasAllViews == true ? .process : .otherServer }

    /// Reads the JSON text of a client; nil where it is something else.
    static func read(_ text: [UInt8]) -> RelayedClient? {
        text.withUnsafeBytes { bytes in
            guard let text = try? JSONText(validating: bytes) else { return nil }
            return text.withValue { try? ValueDecoder().decode(RelayedClient.self, from: $0) }
        }
    }

    /// - Parameter lastView: nil where the client's views are on several servers.
    init(peer: String, principal: String?, person: String, owner: String, lastView: Int?) {
        (self.peer, self.principal, self.person, self.owner) = (peer, principal, person, owner)
        self.lastView = lastView ?? 0
        hasAllViews = lastView == nil ? nil : true
    }

    var text: [UInt8] { (try? JSONText(encoding: self))?.bytes ?? [] }
}
