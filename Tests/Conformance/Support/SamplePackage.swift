import FoundationEssentials

/// A user's package with a target "shop", in a folder of its own.
final class SamplePackage {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try writeManifest(
            tests:
                #".testTarget(name: "shopTests", dependencies: ["shop", "TranscriptTesting"], exclude: ["Transcripts"])"#
        )
        try write(
            "@main struct Shop: Server {\n    func register(in registry: inout Registry) {}\n}\n",
            "Sources/shop/Shop.swift")
    }

    var path: String { folder.path }

    func file(_ name: String) -> String { folder.file(name) }

    func write(_ text: String, _ name: String) throws {
        let url = URL(filePath: file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file(name))), as: UTF8.self)
    }

    /// - Parameter tests: its test target.
    func writeManifest(tests: String) throws {
        let server =
            #".executableTarget(name: "shop", dependencies: [.product(name: "ViewModelServer", package: "vms")])"#
        try write("let package = Package(name: \"shop\", targets: [\(server), \(tests)])\n", "Package.swift")
    }

    /// All files, by their paths from the package's folder on.
    func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder = false
            guard FileManager.default.fileExists(atPath: file(name), isDirectory: &isFolder), !isFolder else {
                continue
            }
            contents[name] = try text(name)
        }
        return contents
    }
}

/// The outcome of `new`. Paths in it go from the package's folder on.
struct NewRun {
    let output: String
    let errors: String
    let ending: Program.Ending

    /// - Parameter folder: the package's, as an argument; nil: its path.
    init(_ arguments: String..., in package: SamplePackage, folder: String? = nil) throws {
        let program = try Program(Checkout.server, ["new"] + arguments + ["--folder", folder ?? package.path])
        func relative(_ text: String) -> String { text.replacing("\(package.path)/", with: "") }
        output = relative(try program.lines().joined(separator: "\n"))
        errors = relative(try program.errorText())
        ending = try program.end()
    }

    private var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: false) }

    private func lines(after start: String) -> [String] {
        lines.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    /// The files that were written.
    var files: [String] { lines(after: "new      ") }

    /// The file, line and statement that names the view model; nil where the user has to write it.
    var registration: String? { lines(after: "changed  ").first }

    /// The work that is left, each up to an empty line in front of an unindented one.
    var notes: [String] {
        output.components(separatedBy: "\nstill to do, in ").dropFirst().map { note in
            note.components(separatedBy: "\n\nnext:")[0].trimmingSuffix("\n")
        }
    }

    var commands: [String] { lines(after: "  swift ").map { "swift \($0)" } }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self
        while text.last == suffix { text.removeLast() }
        return text
    }
}
