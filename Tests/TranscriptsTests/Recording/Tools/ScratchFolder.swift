import Glibc
import JSON
import Testing
import Transcripts

/// A folder of a test's own, removed with the files in it when it is released.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/transcripts-tests-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
        for name in Self.names(in: path) { unlink(file(name)) }
        rmdir(path)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Sorted.
    var names: [String] { Self.names(in: path) }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

/// A whole file, or a FIFO up to its end; nil when it can't be opened.
func contents(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&buffer, 1, buffer.count, file)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
    }
}

func permissions(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}

/// Who said what, a line each, without times: "client message {…}", "server end".
func described(_ path: String) throws -> [String] {
    let reader = try TranscriptReader(path: path)
    var lines: [String] = []
    while let entry = try reader.next() {
        let content =
            switch entry.content {
            case .message(let message): "message \(message)"
            case .text(let text): "text \(text)"
            case .unframed(let text): "unframed \(text)"
            case .end: "end"
            }
        lines.append("\(entry.from) \(content)")
    }
    return lines
}
