import FoundationEssentials
import LibC

/// The file that keeps typed lines from one run to the next. Only its user may read it.
///
/// Each line is appended when it is typed, so that several clients at a time lose none. A file that can't be read or written is
/// no error: then there is no history.
package struct HistoryFile {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Finds the file in the user's folder for state (XDG Base Directory Specification).
    ///
    /// - Returns: nil if no environment variable names the folder.
    init?(environment: (String) -> String?) {
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let folder = variable("XDG_STATE_HOME") ?? variable("HOME").map { "\($0)/.local/state" }
        guard let state = folder else { return nil }
        self.init(path: "\(state)/view-model-server/history")
    }

    package func read() -> [String] {
        guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        // The file grows with each line, and is cut when it has twice the capacity.
        if lines.count > 2 * History.capacity { rewrite(lines.suffix(History.capacity)) }
        return lines
    }

    package func append(_ line: String) {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        write([line], to: path, O_APPEND)
    }

    private func rewrite(_ lines: ArraySlice<String>) {
        let new = "\(path).\(getpid())"
        write(Array(lines), to: new, O_TRUNC)
        rename(new, path)
    }

    private func write(_ lines: [String], to path: String, _ flag: Int32) {
        let descriptor = LibC.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0o600)
        guard descriptor >= 0 else { return }
        defer { LibC.close(descriptor) }
        // An existing file may have other permissions.
        fchmod(descriptor, 0o600)
        FileOutput.write(lines.map { $0.replacing("\n", with: " ") + "\n" }.joined(), to: descriptor)
    }
}
