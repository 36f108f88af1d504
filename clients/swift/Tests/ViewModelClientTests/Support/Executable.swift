import FoundationEssentials

/// The real server, which SwiftPM builds into the folder of the test bundle.
enum Executable {
    static let path = parent(of: testBundle) + "/view-model-server"

    private static var testBundle: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
