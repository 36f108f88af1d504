/// The package that `dev` builds, and the place where SwiftPM puts its server.
package struct DevPackage: Equatable {
    /// The folder that contains `Package.swift`.
    package let root: String
    package let product: String
    /// The folder that SwiftPM builds into.
    package let scratch: String
    /// The options of `swift build` for this package.
    package let arguments: [String]
    /// The path of the product's executable; nil if SwiftPM must be asked.
    package let executable: String?
    /// The first parts of the paths of source folders, relative to the root; "" stands for the root itself.
    private let sourceFolders: Set<String>

    /// Finds the package and its product.
    ///
    /// - Parameters:
    ///   - executable: the path of the running executable, absolute and without links.
    ///   - folder: the path of the current folder, absolute.
    /// - Throws: `UsageError` if there is no package, or it isn't clear which product is meant.
    package init(_ options: DevOptions, executable: String, folder: String) throws {
        root = try Self.root(options, executable, folder)
        let manifest = PackageManifest(try TextFile.read("\(root)/Package.swift") ?? "")
        let name = executable.split(separator: "/").last.map(String.init) ?? ""
        let build = BuildFolder(of: executable)
        let isOwn = executable.hasPrefix("\(root)/") || manifest.executables.contains(name)
        product = try options.product ?? Self.product(name, isOwn: build != nil && isOwn, manifest, root)
        var arguments = ["--package-path", root, "--product", product]
        if let build, isOwn {
            if build.scratch != "\(root)/.build" { arguments += ["--scratch-path", build.scratch] }
            if build.configuration != "debug" { arguments += ["--configuration", build.configuration] }
            scratch = build.scratch
            self.executable = "\(build.products)/\(product)"
        } else {
            scratch = "\(root)/.build"
            self.executable = nil
        }
        self.arguments = arguments
        let paths = manifest.targets.filter { $0.kind != "testTarget" }.map(\.path)
        let folders = paths.map { $0.split(separator: "/").first { $0 != "." }.map(String.init) ?? "" }
        sourceFolders = Set(folders).union(["Sources", "Source", "src", "srcs", "Plugins"])
    }

    private static func root(_ options: DevOptions, _ executable: String, _ folder: String) throws(UsageError) -> String
    {
        if let given = options.packageFolder {
            let path = given.hasPrefix("/") ? given : "\(folder)/\(given)"
            guard hasManifest(path) else {
                throw UsageError(message: "--package-path: there is no \(path)/Package.swift")
            }
            return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        }
        // An installed executable isn't in a package's folder.
        for start in [executable, "\(folder)/"] {
            if let root = parents(of: start).first(where: hasManifest) { return root }
        }
        throw UsageError(
            message:
                "dev builds a package, and there is no Package.swift in \(folder) or above it; go there, or name it with "
                + "--package-path")
    }

    /// Returns the folders above a file, the nearest first.
    private static func parents(of path: String) -> [String] {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        var parents: [String] = []
        while !parts.isEmpty {
            parents.append(parts.count == 1 ? "/" : parts.joined(separator: "/"))
            parts = parts.dropLast()
        }
        return parents
    }

    private static func hasManifest(_ folder: String) -> Bool { TextFile.isFile("\(folder)/Package.swift") }

    /// Returns the product to build, if no option names one.
    ///
    /// - Parameter name: the name of the running executable.
    private static func product(
        _ name: String, isOwn: Bool, _ manifest: PackageManifest, _ root: String
    ) throws(UsageError) -> String {
        if isOwn || manifest.executables.contains(name) { return name }
        if manifest.executables.count == 1, let only = manifest.executables.first { return only }
        let names = manifest.executables.sorted().joined(separator: ", ")
        let known = names.isEmpty ? "" : ": it has \(names)"
        throw UsageError(message: "name the executable of \(root) with --product\(known)")
    }

    /// Whether a path is, or may lead to, a file that a build depends on.
    ///
    /// - Parameter relative: a path relative to the package.
    package func includes(_ relative: String) -> Bool {
        let names = relative.split(separator: "/")
        guard let first = names.first, let last = names.last, Self.isSource(last) else { return false }
        if names.count == 1, first.hasPrefix("Package"), first.hasSuffix(".swift") { return true }
        return sourceFolders.contains("") || sourceFolders.contains(String(first))
    }

    /// Whether a name is neither hidden nor that of a file which editors write beside another one.
    static func isSource(_ name: some StringProtocol) -> Bool {
        !name.hasPrefix(".") && !name.hasSuffix("~") && !name.hasPrefix("#") && name != "4913"
    }
}

/// The folder that SwiftPM has built an executable into: SCRATCH/PLATFORM/CONFIGURATION.
private struct BuildFolder {
    let scratch: String
    let products: String
    let configuration: String

    /// Finds the folder; nil if SwiftPM hasn't built the executable there.
    init?(of executable: String) {
        let parts = executable.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 4 else { return nil }
        products = parts.dropLast().joined(separator: "/")
        scratch = parts.dropLast(3).joined(separator: "/")
        configuration = String(parts[parts.count - 2])
        guard ["debug", "release"].contains(configuration), TextFile.isFile("\(scratch)/workspace-state.json") else {
            return nil
        }
    }
}
