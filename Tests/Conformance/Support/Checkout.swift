import FoundationEssentials
import Glibc

/// Where this package and what was built of it are.
enum Checkout {
    /// The folder of `Package.swift`, of which this file is four levels down.
    static let root = (0..<4).reduce(#filePath) { path, _ in parent(of: path) }

    /// The executable under test, which SwiftPM builds into the folder of the test bundle, as in
    /// `.build/x86_64-unknown-linux-gnu/debug`: the test target depends on it. On Linux the bundle is this very
    /// process.
    static let server = parent(of: testBundle) + "/view-model-server"

    /// The program of `Tests/Embedder`.
    static let till = parent(of: testBundle) + "/till"

    /// The server of `Tests/Shop`.
    static let shop = parent(of: testBundle) + "/Shop"

    /// The modules that were built with it, for the compiler.
    static let modules = parent(of: testBundle) + "/Modules"

    /// The path of a script, or of the package outside this one.
    static func conformance(_ path: String) -> String { "\(root)/Tests/Conformance/\(path)" }

    private static var testBundle: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}

/// A folder of a test's own, removed with all that is in it when it is released.
final class TemporaryFolder {
    let path: String

    init() throws {
        // Short, as the path of a Unix socket has 107 bytes at most.
        let url = URL(filePath: "/tmp").appending(path: "vms-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }
}
