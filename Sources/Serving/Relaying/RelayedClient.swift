import JSON
import Sessions
import ViewModelProtocol
import ViewModels

/// A client that a server has let in, as described to another server or to the client's process, which has its sessions.
package final class RelayedClient: Codable, Sendable {
    /// The client as its stream describes it, for the log.
    let peer: String
    /// The name of the token that the client sent; nil where the token has none.
    let principal: String?
    /// The name of the program, as the client gave it; nil where it gave none.
    let program: String?
    /// The person whose sessions the client finds: see `Owner.person`.
    let person: String
    /// The highest view number that the client got from an earlier process: numbers aren't used again.
    let lastView: Int
    /// The owner for whom the client's sessions count.
    let owner: String
    /// The sessions that wait for one which this client opens, where the client is itself a session: the last of them.
    let waiting: [WaitingSession]?
    /// Whether this process has all views of the client. Absent where another server relays the client.
    private let hasAllViews: Bool?
    /// Whether the client is a session of this server. Not told to others, for which it is a client as all are.
    private let isHere: Bool

    /// The kind of server that relays a client.
    enum Origin {
        /// Another server with the same store, which numbers the client's views.
        case otherServer
        /// The server that started this process. All the client's views are here, and are numbered here.
        case process
        /// No server: the client is a session of this one.
        case session
    }

    var origin: Origin { isHere ? .session : hasAllViews == true ? .process : .otherServer }

    /// Reads the JSON text of a client; nil where it is something else.
    static func read(_ text: [UInt8]) -> RelayedClient? {
        text.withUnsafeBytes { bytes in
            guard let text = try? JSONText(validating: bytes) else { return nil }
            return text.withValue { try? ValueDecoder().decode(RelayedClient.self, from: $0) }
        }
    }

    /// - Parameter lastView: nil where the client's views are on several servers.
    init(
        peer: String, principal: String?, program: String?, person: String, owner: String, lastView: Int?,
        waiting: [WaitingSession]? = nil
    ) {
        (self.peer, self.principal, self.program) = (peer, principal, program)
        (self.person, self.owner) = (person, owner)
        self.lastView = lastView ?? 0
        self.waiting = waiting
        isHere = false
        hasAllViews = lastView == nil ? nil : true
    }

    /// Makes the client that a session of this server is.
    init(session: Session, of viewModel: String, waiting: [WaitingSession]) {
        let owner = session.scene?.owner ?? ""
        peer = "a session of \(session.viewModelName)"
        principal = Owner.principal(of: owner)
        program = nil
        person = session.scene?.person ?? owner
        self.owner = owner
        lastView = 0
        self.waiting = waiting
        isHere = true
        hasAllViews = nil
    }

    private enum CodingKeys: CodingKey {
        case peer, principal, program, person, lastView, owner, waiting, hasAllViews
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        peer = try members.decode(String.self, forKey: .peer)
        principal = try members.decodeIfPresent(String.self, forKey: .principal)
        program = try members.decodeIfPresent(String.self, forKey: .program)
        person = try members.decode(String.self, forKey: .person)
        lastView = try members.decode(Int.self, forKey: .lastView)
        owner = try members.decode(String.self, forKey: .owner)
        waiting = try members.decodeIfPresent([WaitingSession].self, forKey: .waiting)
        isHere = false
        hasAllViews = try members.decodeIfPresent(Bool.self, forKey: .hasAllViews)
    }

    var text: [UInt8] { (try? JSONText(encoding: self))?.bytes ?? [] }
}
