/// How the messages of a load are told apart.
package enum LoadFraming: Sendable {
    /// `Content-Length: N`, an empty line, N bytes.
    case headers
    /// Frames of a WebSocket, after its handshake.
    case webSocket

    /// A client's message.
    func frame(_ body: String) -> [UInt8] {
        let text = Array(body.utf8)
        switch self {
        case .headers: return Array("Content-Length: \(text.count)\r\n\r\n".utf8) + text
        case .webSocket:
            // Masked with zeros: the same work for the server, and none for the driver.
            let length =
                text.count < 126 ? [UInt8(text.count)] : [126, UInt8(text.count >> 8 & 0xFF), UInt8(text.count & 0xFF)]
            return [0x81, length[0] | 0x80] + length.dropFirst() + [0, 0, 0, 0] + text
        }
    }

    /// Takes a server's first whole message out of `bytes`; nil when it isn't all there.
    func takeMessage(from bytes: inout [UInt8]) throws -> [UInt8]? {
        let body: Range<Int>
        switch self {
        case .headers:
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")).map({ $0 + 3 }), end <= bytes.count else {
                return nil
            }
            let digits = bytes[..<end].filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard let length = Int(String(decoding: digits, as: UTF8.self)) else {
                throw Dialogue.Broken("a header has no length")
            }
            body = end..<(end + length)
        case .webSocket:
            guard bytes.count >= 4 else { return nil }
            guard bytes[0] == 0x81, bytes[1] < 127 else { throw Dialogue.Broken("a frame begins with \(bytes[..<2])") }
            let isShort = bytes[1] < 126
            let length = isShort ? Int(bytes[1]) : Int(bytes[2]) << 8 | Int(bytes[3])
            body = isShort ? 2..<(2 + length) : 4..<(4 + length)
        }
        guard bytes.count >= body.upperBound else { return nil }
        defer { bytes.removeFirst(body.upperBound) }
        return Array(bytes[body])
    }
}
