import Commands
import Transport

/// An executable that hosts view models and has every command of this package.
///
/// ```swift
/// import ViewModelServer
///
/// @main struct OrdersServer: Server {
///     static func register(in registry: inout Registry) {
///         registry.add("orders") { OrdersViewModel(provider: LiveOrders(), arguments: $0) }
///     }
/// }
/// ```
public protocol Server {
    /// The name of the server in its messages and for its clients. Unless implemented, `view-model-server`.
    static var name: String { get }

    /// The version of the executable, not of the protocol. Unless implemented, this package's.
    static var version: String { get }

    /// The bounds on what the server holds for its clients. Unless implemented, the protocol's defaults.
    static var limits: Limits { get }

    /// Registers the view models that clients can open. Called before anything is served, once for each server in the process:
    /// `replay` starts one for each transcript.
    static func register(in registry: inout Registry)
}

extension Server {
    /// Unless implemented, `view-model-server`.
    public static var name: String { "view-model-server" }

    /// Unless implemented, the version of this package.
    public static var version: String { Release.version }

    /// Unless implemented, the protocol's defaults.
    public static var limits: Limits { Limits() }

    // On the main actor: with nonisolated(nonsending) as the default, `@main` takes no other async main.
    /// Runs the command that the process's arguments name, and ends the process with its exit status.
    ///
    /// The main thread belongs to the main actor, so `@MainActor` view models run. Everything else has its own threads.
    @MainActor public static func main() async {
        var registry = Registry()
        register(in: &registry)
        let application = Application(
            name: name, version: version, limits: limits, registry: registry, register: { register(in: &$0) })
        ThisProcess.exit(await application.run(Array(CommandLine.arguments.dropFirst())))
    }
}
