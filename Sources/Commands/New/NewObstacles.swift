/// Why a view model of this name can't be written, since something is there already.
struct NewObstacles {
    /// A line each; none where nothing is in the way.
    let all: [String]

    /// - Parameter registered: the names that the running server knows, also those that no source of the package spells out.
    init(to plan: NewPlan, of name: NewName, in target: NewPackage.Target, registered: [String]) {
        var all = plan.files.filter { TextFile.exists($0.path) }.map { "\($0.path) exists already" }
        let files = plan.files.map(\.path)
        for file in target.files where !files.contains(file.path) {
            if plan.files.contains(where: { $0.path.hasSuffix("/\(file.name)") }) {
                all.append("\(file.path) has the name of a file to be written, and a target can't have both")
            }
            for type in [name.viewModel, name.view] where Self.declares(type, file.code) {
                all.append("\(file.path) has a type \(type) already")
            }
        }
        let naming = "\"\(name.registered)\""
        if let file = target.files.first(where: { $0.code.uncommented.contains(".add(\(naming)") }) {
            all.append("\(file.path) names a view model \(naming) already")
        } else if registered.contains(name.registered) {
            all.append("this server has a view model \(naming) already")
        }
        self.all = all
    }

    private static func declares(_ type: String, _ code: SwiftCode) -> Bool {
        code.bare.matches(of: /\b(?:struct|enum|class|actor|protocol|typealias)\s+(\w+)/).contains { $0.1 == type }
    }
}
