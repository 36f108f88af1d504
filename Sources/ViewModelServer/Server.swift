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
/// The executable makes one instance, before it reads the command line. A `public` type needs a `public init() {}` for
/// that.
public protocol Server: Sendable {
    /// The name of the server, in its messages and for its clients. Unless implemented, the name of the executable; in
    /// tests, that of the module.
    static var name: String { get }

    /// The version of the executable, not of the protocol. Unless implemented, `0.0.0`.
    static var version: String { get }

    /// The bounds on what the server holds for its clients. Unless implemented, the protocol's defaults.
    static var limits: Limits { get }

    /// Makes a server with the initial values of its options.
    init()

    /// Checks options whose values depend on each other. Does nothing unless implemented.
    ///
    /// Called once the command line is read, and before `register(in:)`. A `Transcript` that is replayed doesn't call
    /// it: there the options have their initial values.
    ///
    /// - Throws: an error whose description tells a person what is wrong, such as a `ValidationError`. The process ends
    ///   with the status 64.
    func validate() throws

    /// Registers the view models of the server. It may be written without `async` or `throws`.
    ///
    /// It is called before anything is served, once for each server in the process: `replay` starts one for each
    /// transcript. Commands that need no view models, such as `connect`, don't call it. What it prints goes to standard
    /// error.
    ///
    /// - Parameter registry: has no view model yet.
    /// - Throws: an error whose description tells a person why the server can't start. The process ends with the status
    ///   1.
    func register(in registry: inout Registry) async throws

    /// The path of a folder with views of your own for the web page: a `views.js` and the files that it imports. Unless
    /// implemented, there is none.
    ///
    /// Mostly the folder is a resource of the package:
    ///
    /// ```swift
    /// var pageViews: String? { Bundle.module.path(forResource: "PageViews", ofType: nil) }
    /// ```
    ///
    /// All files in it, 16 MiB at most, are read when the server begins to listen on TCP. Later changes aren't seen. A
    /// folder without a `views.js` ends the process with the status 64. The option `--views` names another folder.
    var pageViews: String? { get }

    /// Releases what `register(in:)` has opened. Does nothing unless implemented.
    ///
    /// It is called once for each `register(in:)` that succeeded, when that server has ended its sessions and has no
    /// clients any more. It has as much time as the limit `drainGrace` (5 s); after that, or at a second signal, its
    /// task is cancelled and the process ends. It may not be called at all where a second signal comes before it, and
    /// isn't called where a view model traps.
    func shutDown() async
}

extension Server {
    /// Unless implemented, the executable's name; in tests, the module's.
    public static var name: String { ExecutableName.of(Self.self) }

    /// Unless implemented, `0.0.0`.
    public static var version: String { "0.0.0" }

    /// Unless implemented, the protocol's defaults.
    public static var limits: Limits { Limits() }

    /// Unless implemented, every combination of options is right.
    public func validate() {}

    /// Unless implemented, the web page shows every view model by its contract.
    public var pageViews: String? { nil }

    /// Unless implemented, nothing is released.
    public func shutDown() {}

    /// Runs the command that the process's arguments name, and ends the process with its exit status.
    ///
    /// The main thread runs the main actor, and so `@MainActor` view models. Everything else has threads of its own.
    @MainActor public static func main() {
        main(adding: ClientAdditions())
    }

    /// Runs the command as `main()` does, with the executable's own views in the clients that it contains.
    @MainActor package static func main(adding additions: ClientAdditions) -> Never {
        // Before there is a descriptor of another use, which could take the place of one of these. `run` reports what fails.
        try? Stdio.ensureStandardDescriptors()
        Task { @MainActor in await run(adding: additions) }
        ThisProcess.runMainActor()
    }

    @MainActor private static func run(adding additions: ClientAdditions) async -> Never {
        ExecutableName.noteServer()
        let server = Self()
        let application = Application(
            name: name, version: version, limits: limits, options: DeclaredOptions.of(server), host: server.host,
            additions: additions)
        let arguments = Array(CommandLine.arguments.dropFirst())
        ThisProcess.exit(await application.run(arguments) { ThisProcess.exit($0) })
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

/// A mistake on the command line, for `Server.validate()` to throw.
///
/// ```swift
/// func validate() throws {
///     guard first <= last else { throw ValidationError("--first \(first) is after --last \(last)") }
/// }
/// ```
public struct ValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mistake, in words for a person.
    public let description: String

    /// Makes a mistake with a description.
    ///
    /// - Parameter description: says to a person what is wrong with the options.
    public init(_ description: String) {
        self.description = description
    }
}
