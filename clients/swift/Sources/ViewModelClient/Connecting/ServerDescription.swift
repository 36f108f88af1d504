import ViewModelProtocol

/// A server's description of itself in its answer to `initialize`.
package struct ServerDescription: Sendable, Equatable {
    package let protocolVersion: String
    package let name: String
    package let version: String
    /// The names of the view models that can be opened.
    package let viewModels: [String]
    /// The Swift types of all view models that can be opened or shown, with their modules, by the view models' names. Empty for
    /// an older server.
    package let types: [String: String]
    /// Who finds the same session of a view model by opening it, by the view models' names; without those of which each opening
    /// makes a session.
    package let scopes: [String: RemoteScope]
    /// Whether the server has a store for the sessions of durable view models.
    package let isDurable: Bool
    /// The longest message that the server accepts, in bytes.
    let messageBytes: Int
    /// The number of view events that a session of the server lets wait.
    let pendingEvents: Int

    init(_ result: Initialize.Result) {
        protocolVersion = result.protocolVersion.rawValue
        name = result.serverInfo.name
        version = result.serverInfo.version
        viewModels = result.capabilities.viewModels.map(\.name)
        let named = result.capabilities.viewModels + (result.capabilities.children ?? [])
        types = Dictionary(named.compactMap { one in one.type.map { (one.name, $0) } }) { first, _ in first }
        let scopes = result.capabilities.viewModels.compactMap { one in one.scope.map { (one.name, RemoteScope($0)) } }
        self.scopes = Dictionary(scopes) { first, _ in first }
        isDurable = result.capabilities.durable
        messageBytes = result.limits.messageBytes.rawValue
        pendingEvents = result.limits.pendingEvents.rawValue
    }
}

/// Who finds the same session of a view model by opening it with equal arguments.
public enum RemoteScope: Sendable {
    /// The principal of the client's token, or without such a name the user whose server it is.
    case person
    /// Every client. `close()` ends no such session: this client leaves it.
    case everyone

    init(_ scope: Initialize.FindingScope) {
        self =
            switch scope {
            case .person: .person
            case .everyone: .everyone
            }
    }
}
