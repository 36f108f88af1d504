import Glibc
import JSON
import Transcripts

/// The contents of a file or a FIFO, read to its end; nil when it can't be opened.
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

/// The entries of a transcript without times, a line each: "client message {…}", "server end".
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
