import Sessions
import Transport

/// What a `Server` says of itself, and the commands that its executable has.
struct Application: Sendable {
    let name: String
    let version: String
    let limits: Limits
    let registry: Registry

    /// Returns the status that the process ends with: 0, 1, or one of `ExitStatus`.
    func run(_ arguments: [String]) async -> Int32 {
        do {
            try Stdio.ensureStandardDescriptors()
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
            StandardError.write("\(name): \(error.message)\nTry '\(name) --help'.")
            return ExitStatus.usage
        } catch {
            StandardError.write("\(name): \(error)")
            return ExitStatus.unavailable
        }
    }
}
