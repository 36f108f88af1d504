/// The client that a view model works for: the one whose view event is handled.
///
/// ```swift
/// func handle(event: ViewEvent) throws {
///     guard let person = Client.current?.principal else { throw Refusal("log in first") }
///     output.send(.orders(orders(of: person)))
/// }
/// ```
///
/// A test says who asks:
///
/// ```swift
/// try await Client.$current.withValue(Client(principal: "ada")) { try await orders.handle(event: .load) }
/// ```
///
/// The view model decides which client may see which data. Any client that has a session's key can attach to it, also
/// one with another principal. So ask at each event, and not only when the view model is made.
public final class Client: Sendable, Equatable {
    /// The client that this task works for; nil where none is known.
    ///
    /// It is known in `handle(event:)` and in `willGoBack()`. While a view model is made and started, it is the client
    /// that opened the session. A child is made for the client whose event shows it, and started for the first client
    /// that attaches. Tasks that these functions start inherit it, except detached tasks.
    ///
    /// It is nil in `snapshot()`, whose events are shared, and in the hooks of `HostableViewModel`, which concern all
    /// clients.
    @TaskLocal public static var current: Client?

    /// The name that the client gave for itself, as `client` of its `session/open` or `session/attach`; nil where it
    /// gave none. Anybody can give any name.
    public let name: String?
    /// The name of the token that the client's connection carried, in the server's file of tokens; nil where tokens
    /// have no names, or none is needed.
    public let principal: String?
    /// The name of the client's program, such as "Neovim", as its `clientInfo` says at `initialize`; nil where it says none.
    public let program: String?

    /// The sessions that wait while this client, a session itself, opens another one: the outermost first.
    package let waiting: [WaitingSession]

    /// A client for a test, which makes it `current`.
    public convenience init(name: String? = nil, principal: String? = nil, program: String? = nil) {
        self.init(name: name, principal: principal, program: program, waiting: [])
    }

    package init(name: String?, principal: String?, program: String?, waiting: [WaitingSession]) {
        self.name = name
        self.principal = principal
        self.program = program
        self.waiting = waiting
    }

    /// Whether both have the same name, principal and program.
    public static func == (left: Client, right: Client) -> Bool {
        left.name == right.name && left.principal == right.principal && left.program == right.program
    }
}

/// A session that can't begin before another one, which its view model has a View of, has begun.
package struct WaitingSession: Sendable, Codable, Equatable {
    package let key: String
    package let viewModel: String

    package init(key: String, viewModel: String) {
        (self.key, self.viewModel) = (key, viewModel)
    }
}
