import FoundationEssentials

/// The real server, which SwiftPM builds into the folder of the test bundle.
enum Executable {
    static let path = parent(of: testBundle) + "/view-model-server"

    /// The port of a server of this machine that runs already and serves others too, where VIEW_MODEL_ADDRESS names one.
    static let givenPort = ProcessInfo.processInfo.environment["VIEW_MODEL_ADDRESS"]
        .flatMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }

    private static var testBundle: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
