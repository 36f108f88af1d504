package import Commands
import Transport

/// An executable that hosts view models and has every command of this package.
///
/// ```swift
/// import ViewModelServer
///
/// @main struct Finder: Server {
///     static let version = "1.2.0"
///
///     @Option(help: "the folder to look in", valueName: "DIR") var root = "."
///     @Flag(help: "finds hidden files, too") var hidden = false
///
///     func register(in registry: inout Registry) async throws {
///         let index = try await Index(of: root, hidden: hidden)
///         registry.add("finder") { FinderViewModel(index: index) }
///     }
/// }
/// ```
///
/// An instance is made before the command line is read. A `public` type needs a `public init() {}` for that.
public protocol Server: Sendable {
    /// The name of the server in its messages and for its clients. Unless implemented, the executable's own; in tests,
    /// the module's.
    static var name: String { get }

    /// The version of the executable, not of the protocol. Unless implemented, `0.0.0`.
    static var version: String { get }

    /// The bounds on what the server holds for its clients. Unless implemented, the protocol's defaults.
    static var limits: Limits { get }

    /// A server with the initial values of its options.
    init()

    /// Checks options that only together are right or wrong. Called once they are read, and before `register(in:)`.
    /// Does nothing unless implemented.
    ///
    /// - Throws: an error whose description says to a person what is wrong, such as a `ValidationError`. The process
    ///   ends
    ///   with the status 64.
    func validate() throws

    /// Registers the view models that clients can open. Called before anything is served, once for each server in the
    /// process: `replay` starts one for each transcript. The commands that need no view models, such as `connect`,
    /// don't call it.
    ///
    /// It may be written without `async` or `throws`. What it prints goes to standard error.
    ///
    /// - Throws: an error whose description says to a person why the server can't start. The process ends with the
    ///   status 1.
    func register(in registry: inout Registry) async throws

    /// A folder with views that the web page has for this server's view models: its `views.js` and what that imports.
    /// Such a folder is a resource of the package, as a rule. Unless implemented, there is none.
    ///
    /// ```swift
    /// var pageViews: String? { Bundle.module.path(forResource: "PageViews", ofType: nil) }
    /// ```
    ///
    /// Read once, when the server begins to listen on TCP, with all files in it; a folder without a `views.js` ends the
    /// process with the status 64. The option `--views` names another folder.
    var pageViews: String? { get }

    /// Releases what `register(in:)` has opened. Called once for each `register(in:)` that succeeded, when the server
    /// has ended its sessions and serves nobody any more. Does nothing unless implemented.
    ///
    /// It has as much time as the limit `drainGrace` says, and is cancelled after that, or by a second signal. It isn't
    /// called where a second signal ends the process, or where a view model traps.
    func shutDown() async
}

extension Server {
    /// Unless implemented, the executable's name; in tests, the module's.
    public static var name: String { ExecutableName.of(Self.self) }

    /// Unless implemented, `0.0.0`.
    public static var version: String { "0.0.0" }

    /// Unless implemented, the protocol's defaults.
    public static var limits: Limits { Limits() }

    /// Unless implemented, every combination is right.
    public func validate() {}

    /// Unless implemented, the page has its built-in views only.
    public var pageViews: String? { nil }

    /// Unless implemented, nothing is released.
    public func shutDown() {}

    // On the main actor: with nonisolated(nonsending) as the default, `@main` takes no other async main.
    /// Runs the command that the process's arguments name, and ends the process with its exit status.
    ///
    /// The main thread belongs to the main actor, so `@MainActor` view models run. Everything else has its own threads.
    @MainActor public static func main() async {
        ExecutableName.noteServer()
        let server = Self()
        let application = Application(
            name: name, version: version, limits: limits, options: DeclaredOptions.of(server), host: server.host)
        ThisProcess.exit(await application.run(Array(CommandLine.arguments.dropFirst())))
    }
}

extension Server {
    /// The functions of this server for `Application`.
    package var host: Application.Host {
        Application.Host(
            validate: { try validate() }, register: { try await register(in: &$0) }, shutDown: { await shutDown() },
            pageViews: { pageViews })
    }
}

/// A mistake on the command line, thrown by `Server.validate()`.
///
/// ```swift
/// func validate() throws {
///     guard first <= last else { throw ValidationError("--first \(first) is after --last \(last)") }
/// }
/// ```
public struct ValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A phrase for a person.
    public let description: String

    /// - Parameter description: what is wrong with the options, for a person.
    public init(_ description: String) {
        self.description = description
    }
}
