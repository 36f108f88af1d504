import FoundationEssentials

/// A request to go over to WebSocket that is in order (RFC 6455, section 4.2). No extension and no subprotocol is agreed on,
/// whatever is offered.
package struct WebSocketHandshake: Sendable, Equatable {
    /// The value of `Sec-WebSocket-Accept`.
    let acceptance: String

    /// Whether the request is one for a handshake is what it is checked for; who may make one is the caller's to say.
    ///
    /// - Returns: a failure is what the client is to be answered.
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

    /// Why a handshake doesn't come about.
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
