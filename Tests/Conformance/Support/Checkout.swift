import FoundationEssentials
import Glibc

/// Where this package and what was built of it are.
enum Checkout {
    /// The folder of `Package.swift`, of which this file is four levels down.
    static let root = (0..<4).reduce(#filePath) { path, _ in parent(of: path) }

    /// The executable under test, which SwiftPM builds into the folder of the test bundle, as in
    /// `.build/x86_64-unknown-linux-gnu/debug`: the test target depends on it. On Linux the bundle is this very process.
    static let server = parent(of: testBundle) + "/view-model-server"

    /// What isn't built: scripts and the package outside this one.
    static func conformance(_ path: String) -> String { "\(root)/Tests/Conformance/\(path)" }

    private static var testBundle: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
