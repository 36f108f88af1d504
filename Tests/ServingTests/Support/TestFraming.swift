/// How a test client tells its messages apart. Written anew here, so that the server's own framing isn't its judge.
enum TestFraming: CaseIterable, Sendable {
    case lines
    case headers
    /// After the handshake, which is HTTP's matter.
    case webSocket

    func frame(_ message: String) -> [UInt8] {
        switch self {
        case .lines: Array("\(message)\n".utf8)
        case .webSocket: Self.clientFrame(0x81, Array(message.utf8))
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
        case .webSocket:
            guard let (opcode, payload) = Self.serverMessage(&bytes) else { return nil }
            // What else a server sends is no message, and fails the test.
            return opcode == 0x81 ? String(decoding: payload, as: UTF8.self) : "a frame of kind \(opcode): \(payload)"
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

    /// What a close frame that came is to be answered with; nil where none did.
    func answerToClose(_ bytes: inout [UInt8]) -> [UInt8]? {
        guard self == .webSocket, bytes.first == 0x88, let (_, payload) = Self.serverFrame(&bytes) else { return nil }
        return Self.clientFrame(0x88, payload)
    }

    /// RFC 6455, section 5.2, with a mask that isn't nothing.
    private static func clientFrame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let mask: [UInt8] = [0x5A, 0x00, 0xFF, 0x21]
        let length: [UInt8] =
            switch payload.count {
            case ...125: [0x80 | UInt8(payload.count)]
            case ...0xFFFF: [0x80 | 126] + [8, 0].map { UInt8(truncatingIfNeeded: payload.count >> $0) }
            default: [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
            }
        return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    /// A frame, or all frames of a message that comes in several (RFC 6455, section 5.4).
    private static func serverMessage(_ bytes: inout [UInt8]) -> (first: UInt8, payload: [UInt8])? {
        guard bytes.first == 0x01 else { return serverFrame(&bytes) }
        var (rest, payload) = (bytes, [UInt8]())
        while let frame = serverFrame(&rest) {
            payload += frame.payload
            guard frame.first == 0x80 else { continue }
            bytes = rest
            return (0x81, payload)
        }
        return nil
    }

    private static func serverFrame(_ bytes: inout [UInt8]) -> (first: UInt8, payload: [UInt8])? {
        guard bytes.count >= 2 else { return nil }
        let extra = bytes[1] == 126 ? 2 : bytes[1] == 127 ? 8 : 0
        guard bytes.count >= 2 + extra else { return nil }
        let length = extra == 0 ? Int(bytes[1]) : bytes[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
        let end = 2 + extra + length
        guard bytes.count >= end else { return nil }
        defer { bytes.removeFirst(end) }
        return (bytes[0], Array(bytes[(2 + extra)..<end]))
    }
}
