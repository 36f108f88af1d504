/// How a test client tells its messages apart. Written anew here, so that the server's own framing isn't its judge.
enum TestFraming: CaseIterable, Sendable {
    case lines
    case headers

    func frame(_ message: String) -> [UInt8] {
        switch self {
        case .lines: Array("\(message)\n".utf8)
        case .headers: Array("Content-Length: \(message.utf8.count)\r\n\r\n\(message)".utf8)
        }
    }

    /// Takes the first whole message out of `bytes`; nil when there is none. Takes nothing but the exact form.
    func unframe(_ bytes: inout [UInt8]) -> String? {
        switch self {
        case .lines:
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { bytes.removeFirst(end + 1) }
            return String(decoding: bytes[..<end], as: UTF8.self)
        case .headers:
            let name = Array("Content-Length: ".utf8)
            guard bytes.starts(with: name), let end = bytes.firstIndex(of: UInt8(ascii: "\r")) else { return nil }
            let digits = String(decoding: bytes[name.count..<end], as: UTF8.self)
            guard let length = Int(digits), bytes.count >= end + 4 + length else { return nil }
            guard Array(bytes[end..<(end + 4)]) == Array("\r\n\r\n".utf8) else { return nil }
            defer { bytes.removeFirst(end + 4 + length) }
            return String(decoding: bytes[(end + 4)..<(end + 4 + length)], as: UTF8.self)
        }
    }
}
