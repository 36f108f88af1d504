package import JSON
package import JSONRPC

/// The first request: who the client is. All of it is optional, and what isn't named here is ignored, as are rootUri and
/// workspaceFolders.
package enum Initialize: ClientMethod {
    package static let name: StaticString = "initialize"
    package static let allowance = Allowance.first
    package static let viewEffect = ViewEffect.ofConnection
    package static let errors: [ErrorCode] = [.unauthorized]

    package struct Params: ConstrainedObject {
        /// The version that the client speaks, 1.0 unless given. Another major number than the server's is refused.
        package var protocolVersion: String?
        /// Who the client is, for the server's log. Anything that isn't of this form is ignored.
        package var clientInfo: ClientInfo?
        /// The client's process. A server on stdio ends with it, where it can see it.
        package var processId: Int?
        /// The server's token, where the server asks for one.
        package var token: String?
        /// How much $/logTrace reports: off, messages or verbose. Any other value counts as off, and "compact" as messages.
        package var trace: TraceLevel?
        /// Ignored.
        package var capabilities: JSONText?
        /// The settings that an editor lets its users make. It may hold the token and the protocolVersion, each of which is
        /// looked at where it isn't given beside it.
        package var initializationOptions: JSONText?

        package init(
            protocolVersion: String? = nil, clientInfo: ClientInfo? = nil, processId: Int? = nil,
            token: String? = nil, trace: TraceLevel? = nil, initializationOptions: JSONText? = nil
        ) {
            self.protocolVersion = protocolVersion
            self.clientInfo = clientInfo
            self.processId = processId
            self.token = token
            self.trace = trace
            self.initializationOptions = initializationOptions
        }

        /// Checks `protocolVersion` and `token`. Those of `initializationOptions` are checked only where the params have no member
        /// of the same name that is a string.
        package static let constraints = """
            {"allOf":[\
            {"anyOf":[{"required":["protocolVersion"],"properties":{"protocolVersion":{"type":"string"}}},\
            {"properties":{"initializationOptions":\
            {"properties":{"protocolVersion":{"type":["string","null"]}}}}}]},\
            {"anyOf":[{"required":["token"],"properties":{"token":{"type":"string"}}},\
            {"properties":{"initializationOptions":{"properties":{"token":{"type":["string","null"]}}}}}]}]}
            """
    }

    /// What the server is and can do.
    package struct Result: Codable, Sendable {
        /// The version that the server speaks.
        package var protocolVersion: ProtocolVersion
        /// The server's name and version, for people.
        package var serverInfo: ServerInfo
        package var capabilities: Capabilities
        /// How much the server takes.
        package var limits: AnnouncedLimits

        package init(
            protocolVersion: ProtocolVersion = .current, serverInfo: ServerInfo, capabilities: Capabilities,
            limits: AnnouncedLimits
        ) {
            self.protocolVersion = protocolVersion
            self.serverInfo = serverInfo
            self.capabilities = capabilities
            self.limits = limits
        }
    }

    /// A server's name and version.
    package struct ServerInfo: Codable, Sendable {
        package var name: String
        package var version: String

        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// What a server can do.
    package struct Capabilities: Codable, Sendable {
        /// The view models that session/open takes.
        package var viewModels: [NamedViewModel]
        /// Those that only other view models show; absent where there are none, and from older servers.
        package var children: [NamedViewModel]?
        /// Whether a session outlives a lost connection for a while.
        package var resume: Bool
        /// Whether sessions outlive the server.
        package var durable: Bool

        package init(viewModels: [NamedViewModel], children: [NamedViewModel]?, resume: Bool, durable: Bool) {
            self.viewModels = viewModels
            self.children = children
            self.resume = resume
            self.durable = durable
        }
    }

    /// A view model that the server hosts.
    package struct NamedViewModel: Codable, Sendable {
        /// The name under which it is registered.
        package var name: String
        /// Its Swift type with its module, such as Examples.OrdersViewModel, by which clients choose a view for it; absent from
        /// older servers.
        package var type: String?
        /// Who finds the same session by session/open. Absent where each session/open makes one.
        package var scope: FindingScope?

        package init(name: String, type: String?, scope: FindingScope? = nil) {
            self.name = name
            self.type = type
            self.scope = scope
        }
    }

    /// Who finds the same session by session/open, with the same view model and equal arguments.
    package enum FindingScope: String, Codable, Sendable, CaseIterable {
        /// The client's principal, or without a name of the token the user.
        case person
        /// Every client.
        case everyone
    }

    /// How much a server takes.
    package struct AnnouncedLimits: Codable, Sendable {
        /// Bytes of one message.
        package var messageBytes: Count
        /// Views on one connection.
        package var sessions: Count
        /// View events of one session that wait.
        package var pendingEvents: Count
        /// Events of one session that are kept for clients that come back.
        package var replayEvents: Count
        /// Rows in one answer; absent from older servers.
        package var rows: Count?
        /// Bytes of the rows in one answer; absent from older servers.
        package var rowBytes: Count?

        package init(
            messageBytes: Count, sessions: Count, pendingEvents: Count, replayEvents: Count, rows: Count?,
            rowBytes: Count?
        ) {
            self.messageBytes = messageBytes
            self.sessions = sessions
            self.pendingEvents = pendingEvents
            self.replayEvents = replayEvents
            self.rows = rows
            self.rowBytes = rowBytes
        }
    }

    package static let examples = [
        MessageExample(
            "a script", #"{"clientInfo":{"name":"by hand"}}"#,
            result: """
                {"protocolVersion":"1.2","serverInfo":{"name":"view-model-server","version":"0.1.0"},\
                "capabilities":{"viewModels":[{"name":"counter","type":"Examples.CounterViewModel"},\
                {"name":"hello","type":"Examples.HelloViewModel"},\
                {"name":"numbers","type":"Examples.NumbersViewModel"},\
                {"name":"orderDetails","type":"Examples.OrderDetailsViewModel"},\
                {"name":"orders","type":"Examples.OrdersViewModel"},\
                {"name":"stopwatch","type":"Examples.StopwatchViewModel"},\
                {"name":"todos","type":"Examples.TodosViewModel"}],\
                "children":[{"name":"confirmCancel","type":"Examples.ConfirmCancelViewModel"}],\
                "resume":true,"durable":false},\
                "limits":{"messageBytes":16777216,"sessions":1024,"pendingEvents":4096,"replayEvents":1024,"rows":1000,\
                "rowBytes":1048576}}
                """)
    ]
}
