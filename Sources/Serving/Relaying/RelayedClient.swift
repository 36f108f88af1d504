import JSON
import ViewModelProtocol

/// A client whom a server has let in, as another server, or a process of the client, is told of it that has its sessions.
package struct RelayedClient: Codable, Sendable {
    /// As its stream describes it, for the log.
    let peer: String
    /// The name of the token that it carried, where that has one.
    let principal: String?
    /// The highest number of a view that it was told by an earlier process: numbers aren't used again.
    let lastView: Int
    /// Who counts for its sessions.
    let owner: String
    /// The client is of this process alone. Absent where it is of another server.
    private let hasAllViews: Bool?

    /// Whose client it is.
    enum Origin {
        /// It is another server's with the same store, which numbers its views.
        case otherServer
        /// It is the server's whose process this is: all its views are here, and are numbered here.
        case process
    }

    var origin: Origin { hasAllViews == true ? .process : .otherServer }

    /// Nil where this isn't the JSON text of one.
    init?(_ text: [UInt8]) {
        let client = text.withUnsafeBytes { bytes -> RelayedClient? in
            guard let text = try? JSONText(validating: bytes) else { return nil }
            return text.withValue { try? ValueDecoder().decode(RelayedClient.self, from: $0) }
        }
        guard let client else { return nil }
        self = client
    }

    /// - Parameter lastView: nil where its views are on several servers.
    init(peer: String, principal: String?, owner: String, lastView: Int?) {
        (self.peer, self.principal, self.owner) = (peer, principal, owner)
        self.lastView = lastView ?? 0
        hasAllViews = lastView == nil ? nil : true
    }

    var text: [UInt8] { (try? JSONText(encoding: self))?.bytes ?? [] }
}
