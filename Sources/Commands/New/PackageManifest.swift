/// What the text of a `Package.swift` says of its targets. What it computes isn't seen.
struct PackageManifest {
    struct Target {
        /// "testTarget".
        let kind: String
        let name: String
        /// Its folder, from the package's on.
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

        /// Whether it has this literal, such as the name of another target that it needs.
        func mentions(_ literal: String) -> Bool { text.contains("\"\(literal)\"") }
    }

    let targets: [Target]
    /// What its programs are called.
    let executables: Set<String>
    /// What the package of `ViewModelServer` is called there.
    let serverPackage: String

    init(_ text: String) {
        let code = SwiftCode(text)
        let bytes = Array(code.bare.utf8)
        let uncommented = Array(code.uncommented.utf8)
        var targets: [Target] = []
        var end = 0
        for match in code.bare.matches(of: /\.(target|executableTarget|testTarget)\s*\(/) {
            let start = code.bare.utf8.distance(from: code.bare.startIndex, to: match.range.upperBound)
            // One that stands in another is what that one needs.
            guard start > end, let close = SwiftCode.closing(bytes, from: start - 1) else { continue }
            end = close
            let text = String(decoding: uncommented[start..<close], as: UTF8.self)
            if let target = Target(kind: String(match.1), text: text) { targets.append(target) }
        }
        self.targets = targets
        let products = code.uncommented.matches(of: /\.executable\s*\(\s*name\s*:\s*"([^"\\]*)"/).map { String($0.1) }
        executables = Set(targets.filter { $0.kind == "executableTarget" }.map(\.name) + products)
        let product = /name\s*:\s*"ViewModelServer"\s*,\s*package\s*:\s*"([^"\\]*)"/
        serverPackage = code.uncommented.firstMatch(of: product).map { String($0.1) } ?? "view-model-server"
    }

    /// The tests of a target: those of the usual name, or else the first that need it.
    func tests(of target: String) -> Target? {
        let tests = targets.filter { $0.kind == "testTarget" }
        return tests.first { $0.name == "\(target)Tests" } ?? tests.first { $0.mentions(target) }
    }

    /// What `swift run` calls the server that a target is, or is part of; nil where that isn't clear.
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
