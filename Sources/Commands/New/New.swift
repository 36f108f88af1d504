import Sessions
import Transport

/// Writes a new view model into a package: its two enums and what they do, a View, their tests and a first transcript.
struct New {
    static let command = Command(
        name: "new", summary: "writes a new view model with a View, tests and a transcript into a package",
        help: NewOptions.help,
        run: { application, arguments in try New(application, NewOptions(arguments)).run() })

    private let application: Application
    private let options: NewOptions

    init(_ application: Application, _ options: NewOptions) {
        self.application = application
        self.options = options
    }

    /// Returns the status for the process to end with.
    func run() throws -> Int32 {
        Stdio.bufferOutputByLine()
        let name = try NewName(options.name)
        do {
            let package = try NewPackage(in: options.folder)
            let target = try package.target(options.target)
            let plan = NewPlan(of: name, in: target, of: package, for: application)
            let obstacles = NewObstacles(to: plan, of: name, in: target, registered: names(of: package))
            guard obstacles.all.isEmpty else {
                for obstacle in obstacles.all { StandardError.write("new: \(obstacle)") }
                return ExitStatus.cantCreate
            }
            if !options.isDryRun { try plan.write() }
            print(options.isDryRun ? plan.preview : plan.report)
            return 0
        } catch let failure as TextFile.Failure {
            StandardError.write("new: \(failure)")
            return ExitStatus.inputOutput
        }
    }

    /// The names of view models that this program knows, where it is the package's own.
    private func names(of package: NewPackage) -> [String] {
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
        return package.manifest.executables.contains(program) ? application.registry.allNames : []
    }
}
