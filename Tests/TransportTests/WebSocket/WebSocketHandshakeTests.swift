import Testing

@testable import Transport

@Suite struct WebSocketHandshakeTests {
    /// RFC 6455, section 1.3.
    private static let request = HTTPRequest(
        method: "GET", path: "/chat",
        headers: [
            .init(name: "host", value: "server.example.com"), .init(name: "upgrade", value: "WebSocket"),
            .init(name: "connection", value: "keep-alive, Upgrade"),
            .init(name: "sec-websocket-key", value: "dGhlIHNhbXBsZSBub25jZQ=="),
            .init(name: "sec-websocket-version", value: "13"),
            .init(name: "sec-websocket-extensions", value: "permessage-deflate"),
        ])

    @Test func `the answer is the one of the RFC, without an extension`() throws {
        let handshake = try WebSocketHandshake.check(Self.request).get()
        var bytes: [UInt8] = []
        handshake.appendResponse(to: &bytes)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(
            lines == [
                "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "", "",
            ])
    }

    @Test(arguments: [
        ("upgrade", nil, HTTPStatus.upgradeRequired), ("upgrade", "h2c", .upgradeRequired),
        ("connection", "close", .upgradeRequired), ("connection", nil, .upgradeRequired),
        ("sec-websocket-version", "8", .upgradeRequired), ("sec-websocket-version", nil, .upgradeRequired),
        ("sec-websocket-key", nil, .badRequest), ("sec-websocket-key", "c2hvcnQ=", .badRequest),
        ("sec-websocket-key", "no base64 at all", .badRequest),
    ])
    func `a request that is no handshake is refused with the reason`(
        _ name: String, _ value: String?, _ status: HTTPStatus
    ) {
        var request = Self.request
        request.headers.removeAll { $0.name == name }
        if let value { request.headers.append(.init(name: name, value: value)) }
        guard case .failure(let refusal) = WebSocketHandshake.check(request) else {
            Issue.record("\(name): \(value ?? "nothing") was taken")
            return
        }
        #expect(refusal.response.status == status)
        #expect(
            refusal.response.headers.contains { $0 == ("Sec-WebSocket-Version", "13") } == (name.hasSuffix("version")))
    }

    @Test func `HTTP/1.0 and other methods can't begin one`() {
        for change in [{ $0.minorVersion = 0 }, { $0.method = "POST" }] as [(inout HTTPRequest) -> Void] {
            var request = Self.request
            change(&request)
            #expect(throws: WebSocketHandshake.Refusal.self) { try WebSocketHandshake.check(request).get() }
        }
    }

    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
    ])
    func `SHA-1 gives the digests that are known`(_ text: String, _ digest: String) {
        let bytes = SHA1.digest(of: Array(text.utf8))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
    }
}
