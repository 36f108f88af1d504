import FoundationEssentials
import Testing

/// The folder in which the commands of a document run. It looks like the checkout, and the files that the commands write go
/// with it.
final class PageFolder {
    private let folder: TemporaryFolder
    /// The one that a document calls 127.0.0.1:7351, made when it is first wanted.
    private lazy var server = Result { [folder] in
        let program = try Program.server("--tcp", "0", environment: ["HOME": folder.path])
        return (program: program, address: try program.listeningAddress())
    }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["Schemas", "Tests", "clients"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name), withDestinationPath: "\(Checkout.root)/\(name)")
        }
    }

    /// - Returns: standard output, and how bash ended.
    func bash(_ script: String) throws -> (lines: [String], ending: Program.Ending) {
        let script = try withActualPort(["cd '\(folder.path)'\n\(script)"]).joined()
        let bash = try Program(
            "bash", ["-c", script],
            environment: [
                "PATH": Self.searchPath, "HOME": folder.path, "PYTHONPATH": "\(Checkout.root)/clients/python",
            ])
        bash.closeInput()
        let lines = try bash.lines()
        return (lines, try bash.end())
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
    }

    /// A document's port is fixed, a test's isn't.
    func withActualPort(_ lines: [String]) throws -> [String] {
        guard lines.contains(where: { $0.contains("7351") }) else { return lines }
        let port = try #require(try server.get().address.split(separator: ":").last)
        return lines.map { $0.replacing("7351", with: port) }
    }

    /// The server's folder comes first.
    static let searchPath: String = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return "\(Checkout.server.dropLast("/view-model-server".count)):\(path)"
    }()
}
