import FoundationEssentials

/// A valid request for an upgrade to WebSocket (RFC 6455, section 4.2). Extensions and subprotocols that the client
/// offers are declined.
package struct WebSocketHandshake: Sendable, Equatable {
    /// The value of `Sec-WebSocket-Accept`.
    let acceptance: String

    /// Checks the form of a request. The caller decides whether the client may connect.
    ///
    /// - Returns: the handshake, or a failure with the answer for the client.
    package static func check(_ request: HTTPRequest) -> Result<WebSocketHandshake, Refusal> {
        guard request.lists("websocket", in: "upgrade"), request.lists("upgrade", in: "connection") else {
            return .failure(
                Refusal(
                    .upgradeRequired, "this is a WebSocket's address; connect to it with a WebSocket client",
                    [("Upgrade", "websocket"), ("Connection", "Upgrade")]))
        }
        guard request.method == "GET", request.minorVersion >= 1 else {
            return .failure(Refusal(.badRequest, "a WebSocket begins with GET and HTTP/1.1"))
        }
        guard request.value("sec-websocket-version") == "13" else {
            return .failure(
                Refusal(.upgradeRequired, "only version 13 of WebSocket is spoken", [("Sec-WebSocket-Version", "13")]))
        }
        guard let key = request.value("sec-websocket-key"), Data(base64Encoded: key)?.count == 16 else {
            return .failure(Refusal(.badRequest, "Sec-WebSocket-Key must be 16 bytes in base64"))
        }
        let digest = SHA1.digest(of: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        return .success(WebSocketHandshake(acceptance: Data(digest).base64EncodedString()))
    }

    /// The answer to a request that isn't a valid handshake.
    package struct Refusal: Error {
        package let response: HTTPResponse

        init(_ status: HTTPStatus, _ line: String, _ headers: [(name: String, value: String)] = []) {
            response = .text(status, line, headers: headers)
        }
    }

    func appendResponse(to output: inout [UInt8]) {
        let lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(acceptance)",
        ]
        output.append(contentsOf: "\(lines.joined(separator: "\r\n"))\r\n\r\n".utf8)
    }
}

/// SHA-1 (RFC 3174). The handshake needs it to prove that a server understood the request; nothing relies on it for
/// security.
enum SHA1 {
    /// Returns the 20 bytes of the digest.
    static func digest(of message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let padded = padded(message)
        for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<(start + 64)], into: &state) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    private static func padded(_ message: [UInt8]) -> [UInt8] {
        let zeros = (119 - message.count % 64) % 64
        let bits = UInt64(message.count) &* 8
        let length = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
        return message + [0x80] + [UInt8](repeating: 0, count: zeros) + length
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<(start + 4)].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (index, word) in words.enumerated() {
            let (choice, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotate(a, 5) &+ choice &+ e &+ constant &+ word
            (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
