package import Sessions
import Transport

/// A server's name, version, limits and view models, and the commands of its executable.
package struct Application: Sendable {
    let name: String
    let version: String
    let limits: Limits
    let registry: Registry
    /// Names the same view models in another registry, for a server with a clock of its own.
    let register: @MainActor (inout Registry) -> Void

    package init(name: String, version: String, limits: Limits, registry: Registry) {
        self.name = name
        self.version = version
        self.limits = limits
        self.registry = registry
    }

    /// Returns the exit status: 0, 1, or one of `ExitStatus`.
    package func run(_ arguments: [String]) async -> Int32 {
        let command = arguments.first.flatMap(Command.named)
        do {
            try Stdio.ensureStandardDescriptors()
            if let command { return try await run(command, Array(arguments.dropFirst())) }
            let options = try ServeOptions(arguments)
            if options.showsHelp {
                print(ServeOptions.help(name: name))
                return 0
            }
            if options.showsVersion {
                print("\(name) \(version)")
                return 0
            }
            return try await Serve(self, options).run()
        } catch let error as UsageError {
            let words = [name, command?.name, "--help"].compactMap { $0 }.joined(separator: " ")
            StandardError.write("\(name): \(error.message)\nTry '\(words)'.")
            return ExitStatus.usage
        } catch {
            StandardError.write("\(name): \(error)")
            return ExitStatus.unavailable
        }
    }

    private func run(_ command: Command, _ arguments: [String]) async throws -> Int32 {
        // Arguments behind "--" are another program's.
        if !arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            return try await command.run(self, arguments)
        }
        print(command.help(name))
        return 0
    }
}
