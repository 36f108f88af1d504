import FoundationEssentials
import LibC

/// A folder of a test's own, removed with the object.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/vms-dev-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes folders that are missing.
    func write(_ name: String, _ text: String) throws {
        let folder = file(name).split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: file(name)), options: .atomic)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: file(name))
    }

    func makePipe(_ name: String) throws {
        struct Failure: Error {}
        guard mkfifo(file(name), 0o600) == 0 else { throw Failure() }
    }

    /// Waits for the reader.
    func write(toPipe name: String, _ text: String) throws {
        guard let pipe = fopen(file(name), "we") else { return }
        fputs(text, pipe)
        fclose(pipe)
    }

    /// "" where there is none.
    func text(_ name: String) -> String { (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? "" }
}
