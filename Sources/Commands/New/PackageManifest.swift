/// The targets and products that are literals in the text of a `Package.swift`. Computed ones aren't found.
struct PackageManifest {
    struct Target {
        /// The kind as the manifest names it, such as "testTarget".
        let kind: String
        let name: String
        /// The target's folder, relative to the package.
        let path: String
        private let text: String

        fileprivate init?(kind: String, text: String) {
            guard let name = PackageManifest.value(of: "name", in: text) else { return nil }
            self.kind = kind
            self.name = name
            self.text = text
            let folder = kind == "testTarget" ? "Tests" : "Sources"
            path = PackageManifest.value(of: "path", in: text) ?? "\(folder)/\(name)"
        }

        /// Whether the target's text has this string literal, such as the name of a target that it depends on.
        func mentions(_ literal: String) -> Bool { text.contains("\"\(literal)\"") }
    }

    let targets: [Target]
    /// The names of the package's executables.
    let executables: Set<String>
    /// The name in the manifest of the package that has `ViewModelServer`.
    let serverPackage: String

    init(_ text: String) {
        let code = SwiftSource(text).code
        var targets: [Target] = []
        var rest = code[...]
        while let match = rest.firstMatch(of: /\.(target|executableTarget|testTarget)\s*\(/) {
            guard let end = Self.closingParenthesis(in: rest[match.range.upperBound...]) else { break }
            let text = String(rest[match.range.upperBound..<end])
            if let target = Target(kind: String(match.1), text: text) { targets.append(target) }
            // The search goes on behind the whole target: a `.target(` inside it is one of its dependencies.
            rest = rest[end...]
        }
        self.targets = targets
        let products = code.matches(of: /\.executable\s*\(\s*name\s*:\s*"([^"\\]*)"/).map { String($0.1) }
        executables = Set(targets.filter { $0.kind == "executableTarget" }.map(\.name) + products)
        let product = /name\s*:\s*"ViewModelServer"\s*,\s*package\s*:\s*"([^"\\]*)"/
        serverPackage = code.firstMatch(of: product).map { String($0.1) } ?? "view-model-server"
    }

    /// Returns the index of the parenthesis that closes the one before `text`.
    private static func closingParenthesis(in text: Substring) -> String.Index? {
        var depth = 1
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Returns the test target of a target: the one with the usual name, or the first that depends on the target.
    func tests(of target: String) -> Target? {
        let tests = targets.filter { $0.kind == "testTarget" }
        return tests.first { $0.name == "\(target)Tests" } ?? tests.first { $0.mentions(target) }
    }

    /// Returns the name for `swift run` of the server that a target is, or belongs to; nil if that isn't clear.
    func executable(with target: String) -> String? {
        let executables = targets.filter { $0.kind == "executableTarget" }
        if executables.contains(where: { $0.name == target }) { return target }
        let users = executables.filter { $0.mentions(target) }
        return users.count == 1 ? users[0].name : nil
    }

    private static func value(of label: String, in text: String) -> String? {
        text.matches(of: /\b(\w+)\s*:\s*"([^"\\]*)"/).first { $0.1 == label }.map { String($0.2) }
    }
}
