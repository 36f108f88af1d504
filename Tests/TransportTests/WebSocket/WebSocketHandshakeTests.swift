import TestSupport
import Testing
import Transport

@Suite(.inTurn) struct WebSocketHandshakeTests {
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

    /// The first is the RFC's.
    @Test(arguments: [
        ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ("AAAAAAAAAAAAAAAAAAAAAA==", "ICX+Yqv66kxgM0FcWaLWlFLwTAI="),
        ("/////////////////////w==", "XXpj4jYzLM2yUE0C7TIgMwTQh2g="),
        ("AAECAwQFBgcICQoLDA0ODw==", "Bz3qJYTGdOe8gUSpLosEdiLKDrk="),
    ])
    func `the answer proves that the key was read, and takes no extension`(_ key: String, _ accept: String) async throws
    {
        try await withLoop(.epoll, clock: ManualClock()) { loop in
            let client = try await loop.run {
                let (near, far) = MemoryStream.pair(loop: loop)
                _ = HTTPConnection(far) { request in
                    switch WebSocketHandshake.check(request) {
                    case .success(let handshake): .webSocket(handshake) { Recorder($0).stream.start() }
                    case .failure(let refusal): .response(refusal.response)
                    }
                }
                far.start()
                near.start()
                return LoopBound(Recorder(near), loop: loop)
            }
            let headers = Self.request.headers.map { "\($0.name): \($0.name.hasSuffix("key") ? key : $0.value)\r\n" }
            try await loop.run { client.value.send("GET /chat HTTP/1.1\r\n\(headers.joined())\r\n") }
            try await client.until("the answer", on: loop) { $0.text.hasSuffix("\r\n\r\n") }
            let lines = try await loop.run {
                client.value.text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
            }
            #expect(
                lines == [
                    "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                    "Sec-WebSocket-Accept: \(accept)", "", "",
                ])
        }
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
}
