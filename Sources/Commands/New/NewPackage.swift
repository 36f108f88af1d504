/// The package that gets a new view model.
struct NewPackage {
    /// A target: a folder inside `Sources`.
    struct Target {
        let name: String
        let files: [File]

        /// The module's name in an `import`.
        var module: String {
            let letters = name.map { $0.isLetter || $0.isNumber ? $0 : "_" }
            return String(letters.first?.isNumber ?? false ? ["_"] + letters.dropFirst() : letters)
        }

        /// The files that contain `register(in:)`, one entry for each such function.
        var registrations: [File] {
            files.flatMap { file in Array(repeating: file, count: NewRegistration.count(in: file.source)) }
        }

        /// The name of the type that conforms to `Server`; nil if there is none, or several.
        var server: String? {
            let servers = files.flatMap { file in
                file.source.code.matches(of: /\b(?:struct|enum|class|actor|extension)\s+(\w+)\s*:[^{}]*\bServer\b/)
                    .map { String($0.1) }
            }
            return Set(servers).count == 1 ? servers.first : nil
        }
    }

    struct File {
        let path: String
        let source: SwiftSource

        var name: Substring { path.split(separator: "/").last ?? "" }
    }

    /// The beginning of the package's paths: empty, or the package's folder and a slash.
    let root: String
    let manifest: PackageManifest
    private let targets: [Target]

    init(in folder: String) throws {
        let path = Self.simplified(folder)
        root = path.isEmpty || path.hasSuffix("/") ? path : "\(path)/"
        guard let manifest = try TextFile.read("\(root)Package.swift") else {
            throw UsageError(
                message: "there is no Package.swift in '\(folder)'; run it in your package, or name that with --folder")
        }
        self.manifest = PackageManifest(manifest)
        let sources = "\(root)Sources"
        let byTarget = Dictionary(grouping: try Self.files(in: sources)) { file in
            let parts = file.path.dropFirst(sources.count + 1).split(separator: "/")
            return parts.count > 1 ? String(parts[0]) : nil
        }
        targets = byTarget.compactMap { name, files in name.map { Target(name: $0, files: files) } }
            .sorted { $0.name < $1.name }
    }

    /// Returns the target with this name. Without a name, returns the only target that registers view models, or the only one
    /// at all.
    func target(_ name: String?) throws(UsageError) -> Target {
        let servers = targets.filter { !$0.registrations.isEmpty }
        if let name {
            guard let target = targets.first(where: { $0.name == name }) else {
                throw UsageError(message: "--target: \(root)Sources has no '\(name)', but \(Self.list(targets))")
            }
            return target
        }
        if servers.count == 1 { return servers[0] }
        if targets.count == 1 { return targets[0] }
        guard servers.isEmpty else {
            throw UsageError(message: "say with --target which one the view model is for: \(Self.list(servers))")
        }
        throw UsageError(
            message: """
                nothing in \(root)Sources has a register(in:), where view models are named; say with --target which one \
                this is for: \(Self.list(targets))
                """)
    }

    static func files(in folder: String) throws -> [File] {
        try TextFile.paths(under: folder, endingIn: ".swift").compactMap { path in
            try TextFile.read(path).map { File(path: path, source: SwiftSource($0)) }
        }
    }

    /// Returns a path without ".", without ".." if possible, and without a slash at its end.
    static func simplified(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    private static func list(_ targets: [Target]) -> String {
        targets.isEmpty ? "no target" : targets.map(\.name).joined(separator: ", ")
    }
}
