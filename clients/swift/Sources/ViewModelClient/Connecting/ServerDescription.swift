import ViewModelProtocol

/// A server as it describes itself in its answer to `initialize`.
package struct ServerDescription: Sendable, Equatable {
    package let protocolVersion: String
    package let name: String
    package let version: String
    /// The names of those that can be opened.
    package let viewModels: [String]
    /// The Swift types with their modules, by the names of all that can be opened or shown. An older server tells none.
    package let types: [String: String]
    /// It has a store, in which the sessions of durable view models stay.
    package let isDurable: Bool
    /// The longest message that it takes, in bytes.
    let messageBytes: Int
    /// View events that one of its sessions lets wait.
    let pendingEvents: Int

    init(_ result: Initialize.Result) {
        protocolVersion = result.protocolVersion.rawValue
        name = result.serverInfo.name
        version = result.serverInfo.version
        viewModels = result.capabilities.viewModels.map(\.name)
        let named = result.capabilities.viewModels + (result.capabilities.children ?? [])
        types = Dictionary(named.compactMap { one in one.type.map { (one.name, $0) } }) { first, _ in first }
        isDurable = result.capabilities.durable
        messageBytes = result.limits.messageBytes.rawValue
        pendingEvents = result.limits.pendingEvents.rawValue
    }
}
