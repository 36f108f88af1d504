package import Sessions
import Transport

/// A server's name, version, limits, options and view models, and the commands of its executable.
package struct Application: Sendable {
    let name: String
    /// The server's version; empty if it has none.
    let version: String
    let limits: Limits
    let options: OwnOptions
    let host: Host
    let additions: ClientAdditions

    /// The parts that the user's server implements. Each may run the user's code.
    package struct Host: Sendable {
        let validate: @Sendable () throws -> Void
        let register: @Sendable (inout Registry) async throws -> Void
        let shutDown: @Sendable () async -> Void
        let pageViews: @Sendable () -> String?

        /// Takes the functions of the user's server.
        ///
        /// - Parameters:
        ///   - validate: called once the options are read. Its error is a mistake on the command line.
        ///   - register: adds the view models to an empty registry. Called once for each server in the process.
        ///   - shutDown: called once for each registration that succeeded, when that server serves nobody any more.
        ///   - pageViews: returns the folder of the web page's own views. Called when the page is first needed.
        package init(
            validate: @escaping @Sendable () throws -> Void = {},
            register: @escaping @Sendable (inout Registry) async throws -> Void,
            shutDown: @escaping @Sendable () async -> Void = {}, pageViews: @escaping @Sendable () -> String? = { nil }
        ) {
            self.validate = validate
            self.register = register
            self.shutDown = shutDown
            self.pageViews = pageViews
        }
    }

    package init(
        name: String, version: String, limits: Limits, options: OwnOptions = OwnOptions([]), host: Host,
        additions: ClientAdditions = ClientAdditions()
    ) {
        self.name = name
        self.version = version
        self.limits = limits
        self.options = options
        self.host = host
        self.additions = additions
    }

    /// Runs the command that the arguments name, or serves.
    ///
    /// - Parameter exit: called with the exit status, on any thread, once clients have been served; then `run` doesn't return.
    /// - Returns: the exit status: 0, 1, or one of `ExitStatus`.
    package func run(_ arguments: [String], exit: (@Sendable (Int32) -> Never)? = nil) async -> Int32 {
        let command = arguments.first.flatMap(Command.named)
        do {
            try Stdio.ensureStandardDescriptors()
            try options.check()
            if let command { return printed(try await run(command, Array(arguments.dropFirst()))) }
            let serve = try ServeOptions(arguments, options)
            if serve.showsHelp {
                print(ServeOptions.help(name: name, options))
                return printed(0)
            }
            if serve.showsVersion {
                print(versionText)
                return printed(0)
            }
            let sockets = InheritedSockets.take()
            let registry = try await registry()
            let server: Serve
            do {
                server = try Serve(self, serve, registry, sockets)
            } catch {
                await host.shutDown()
                throw error
            }
            return try await server.run(exit: exit)
        } catch let error as UsageError {
            let words = [name, command?.name, "--help"].compactMap { $0 }.joined(separator: " ")
            StandardError.write("\(name): \(error.message)\nTry '\(words)'.")
            return ExitStatus.usage
        } catch let error as UnopenedStore {
            StandardError.write("\(name): \(error)")
            return error.status
        } catch let error as StartFailure {
            StandardError.write("\(name): \(error)")
            return 1
        } catch {
            StandardError.write("\(name): \(error)")
            return ExitStatus.unavailable
        }
    }

    /// Returns the status of a command that has printed everything. It is an error if the output couldn't be written.
    private func printed(_ status: Int32) -> Int32 {
        do throws(SystemError) {
            try Stdio.flushOutput()
            return status
        } catch {
            StandardError.write("\(name): \(error)")
            return status == 0 ? ExitStatus.inputOutput : status
        }
    }

    private func run(_ command: Command, _ arguments: [String]) async throws -> Int32 {
        // Arguments behind "--" are another program's.
        if !arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            return try await command.run(self, arguments)
        }
        print(command.help(self))
        return 0
    }

    /// Calls `body` with the view models, for a command that doesn't serve them, and shuts their server down afterwards. What
    /// registering prints goes to standard error.
    ///
    /// - Throws: the errors of `registry()` and of `body`.
    func withRegistry<Result>(_ body: (Registry) async throws -> Result) async throws -> Result {
        let registry = try await registry()
        let result: Result
        do {
            result = try await body(registry)
        } catch {
            await shutDown()
            throw error
        }
        await shutDown()
        return result
    }

    private func shutDown() async {
        let printing = PrintingToStandardError()
        defer { printing.end() }
        await host.shutDown()
    }

    /// Returns the view models of this run. What registering prints goes to standard error: standard output may be a client's.
    ///
    /// The caller must shut the server down afterwards.
    ///
    /// - Throws: `UsageError` if the server refuses its options; `StartFailure` if it can't register.
    func registry() async throws -> Registry {
        try validate()
        var registry = Registry()
        do {
            let printing = PrintingToStandardError()
            defer { printing.end() }
            try await host.register(&registry)
        } catch {
            throw StartFailure(reason: error)
        }
        return registry
    }

    /// Checks the options by the server's own `validate`.
    ///
    /// - Throws: `UsageError` if the server refuses its options.
    func validate() throws {
        do {
            try host.validate()
        } catch {
            throw UsageError(message: "\(error)")
        }
    }

    /// The server's name and version. This package's are added if the server is another one.
    private var versionText: String {
        let own = [name, version].filter { !$0.isEmpty }.joined(separator: " ")
        return name == Release.name ? own : "\(own) (\(Release.name) \(Release.version))"
    }
}

/// This package's name and release.
package enum Release {
    package static let name = "view-model-server"
    package static let version = "0.1.0"
}

/// The error of the server's own `register(in:)`.
struct StartFailure: Error, CustomStringConvertible {
    let reason: any Error

    var description: String { "can't start: \(reason)" }
}
