import JSON

/// What a server says of itself in its answer to `initialize`.
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

    /// Nil where what every server must say is missing.
    init?(_ result: JSONValue) {
        guard let version = result.member("protocolVersion")?.string(),
            let viewModels = result.member("capabilities")?.member("viewModels"), viewModels.kind == .array
        else { return nil }
        protocolVersion = version
        let info = result.member("serverInfo")
        name = info?.member("name")?.string() ?? ""
        self.version = info?.member("version")?.string() ?? ""
        var names: [String] = []
        viewModels.forEachElement { if let name = $0.member("name")?.string() { names.append(name) } }
        self.viewModels = names
        let limits = result.member("limits")
        messageBytes = limits?.member("messageBytes")?.integer(as: Int.self) ?? 16 << 20
        pendingEvents = limits?.member("pendingEvents")?.integer(as: Int.self) ?? 64
    }
}
