import ViewModelProtocol

/// A server as it describes itself in its answer to `initialize`.
package struct ServerDescription: Sendable, Equatable {
    package let protocolVersion: String
    package let name: String
    package let version: String
    /// The names of those that can be opened.
    package let viewModels: [String]
    /// The longest message that it takes, in bytes.
    let messageBytes: Int
    /// View events that one of its sessions lets wait.
    let pendingEvents: Int

    init(_ result: Initialize.Result) {
        protocolVersion = result.protocolVersion.rawValue
        name = result.serverInfo.name
        version = result.serverInfo.version
        viewModels = result.capabilities.viewModels.map(\.name)
        messageBytes = result.limits.messageBytes.rawValue
        pendingEvents = result.limits.pendingEvents.rawValue
    }
}
