import FoundationEssentials

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
