import FoundationEssentials
import Sessions

@testable import Commands

/// A user's package in a folder of its own, which goes with it.
final class SamplePackage: Sendable {
    let path: String

    init() throws {
        let url = URL(filePath: "/tmp").appending(path: "vms-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
        try writeManifest(
            tests:
                #".testTarget(name: "shopTests", dependencies: ["shop", "TranscriptTesting"], exclude: ["Transcripts"])"#
        )
        try write(
            "@main struct Shop: Server {\n    static func register(in registry: inout Registry) {}\n}\n",
            "Sources/shop/Shop.swift")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, _ name: String) throws { try TextFile.write(text, to: file(name)) }

    func remove(_ name: String) throws { try TextFile.remove(file(name)) }

    /// - Parameter tests: its test target.
    func writeManifest(tests: String) throws {
        let server =
            #".executableTarget(name: "shop", dependencies: [.product(name: "ViewModelServer", package: "vms")])"#
        try write("let package = Package(name: \"shop\", targets: [\(server), \(tests)])\n", "Package.swift")
    }

    /// All files, by path.
    func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for path in TextFile.paths(under: path, endingIn: "") {
            var isFolder = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder else { continue }
            contents[path] = try TextFile.read(path)
        }
        return contents
    }

    /// What `new` would do.
    func plan(_ name: String) throws -> NewPlan {
        let package = try NewPackage(in: path)
        let application = Application(
            name: #"a "shop""#, version: "1.2.3", limits: Limits(), registry: Registry(), register: { _ in })
        return NewPlan(of: try NewName(name), in: try package.target(nil), of: package, for: application)
    }

    /// From the package's folder on.
    func paths(_ plan: NewPlan) -> [String] {
        plan.files.map { String($0.path.dropFirst(path.count + 1)) }
    }

    func obstacles(_ name: String, registered: [String] = []) throws -> [String] {
        let target = try NewPackage(in: path).target(nil)
        return NewObstacles(to: try plan(name), of: try NewName(name), in: target, registered: registered).all
    }
}
