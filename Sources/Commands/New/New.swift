import Sessions
import Transport

/// Writes a new view model into a package: its two enums and its behaviour, a View, tests and a first transcript.
struct New {
    static let command = Command(
        name: "new", summary: "writes a new view model with a View, tests and a transcript into a package",
        help: { NewOptions.help(name: $0.name) },
        run: { application, arguments in try await New(application, NewOptions(arguments)).run() })

    private let application: Application
    private let options: NewOptions

    init(_ application: Application, _ options: NewOptions) {
        self.application = application
        self.options = options
    }

    /// Writes or previews the files, and returns the exit status.
    func run() async throws -> Int32 {
        Stdio.bufferOutputByLine()
        let name = try NewName(options.name)
        do {
            let package = try NewPackage(in: options.folder)
            let target = try package.target(options.target)
            let plan = NewPlan(of: name, in: target, of: package, for: application)
            let registered = await names(of: package)
            let obstacles = NewObstacles(to: plan, of: name, in: target, registered: registered)
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

    /// Returns the registered names of view models, if this program is the package's own; otherwise none.
    private func names(of package: NewPackage) async -> [String] {
        guard package.manifest.executables.contains(ExecutableName.ofProcess) else { return [] }
        // A server that can't start now may still get another view model.
        return (try? await application.withRegistry { $0.allNames }) ?? []
    }
}

/// The reasons why a view model of this name can't be written: names or files that already exist.
struct NewObstacles {
    /// The reasons, one line each; empty if there are none.
    let all: [String]

    /// Looks for reasons.
    ///
    /// - Parameter registered: the names in the running server's registry. The sources may compute names.
    init(to plan: NewPlan, of name: NewName, in target: NewPackage.Target, registered: [String]) {
        var all = plan.files.filter { TextFile.exists($0.path) }.map { "\($0.path) exists already" }
        let files = plan.files.map(\.path)
        for file in target.files where !files.contains(file.path) {
            if plan.files.contains(where: { $0.path.hasSuffix("/\(file.name)") }) {
                all.append("\(file.path) has the name of a file to be written, and a target can't have both")
            }
            for type in [name.viewModel, name.view] where Self.declares(type, file.source) {
                all.append("\(file.path) has a type \(type) already")
            }
        }
        let naming = "\"\(name.registered)\""
        if let file = target.files.first(where: {
            $0.source.code.contains(".add(\(naming)") || $0.source.code.contains(".addChild(\(naming)")
        }) {
            all.append("\(file.path) names a view model \(naming) already")
        } else if registered.contains(name.registered) {
            all.append("this server has a view model \(naming) already")
        }
        self.all = all
    }

    private static func declares(_ type: String, _ source: SwiftSource) -> Bool {
        source.code.matches(of: /\b(?:struct|enum|class|actor|protocol|typealias)\s+(\w+)/).contains { $0.1 == type }
    }
}
