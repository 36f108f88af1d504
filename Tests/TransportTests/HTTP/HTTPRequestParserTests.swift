import TestSupport
import Testing
import Transport

@Suite(.inTurn) struct HTTPRequestParserTests {
    struct Refused: Sendable {
        let text: String
        let status: HTTPStatus

        init(_ text: String, _ status: HTTPStatus) {
            self.text = text
            self.status = status
        }
    }

    private static func parse(_ text: String, maximumBytes: Int = 8 << 10) -> HTTPRequestParser.Outcome {
        var parser = HTTPRequestParser(maximumBytes: maximumBytes)
        return parser.parse(Array(text.utf8)[...])
    }

    private static func header(_ name: String, _ value: String) -> HTTPRequest.Header {
        HTTPRequest.Header(name: name, value: value)
    }

    @Test func `a request is its method, its path and its headers`() throws {
        let text = "GET /a%20b?c=d HTTP/1.1\r\nHost: x:1\r\nAccept:\t a \r\nX-EMPTY:\r\n\r\n"
        let headers = [Self.header("host", "x:1"), Self.header("accept", "a"), Self.header("x-empty", "")]
        let request = HTTPRequest(method: "GET", path: "/a b", headers: headers)
        #expect(Self.parse(text + "more") == .request(request, byteCount: text.utf8.count))
    }

    @Test func `requests of proxies, of old clients and after an empty line are taken`() {
        let host = [Self.header("host", "x")]
        for (line, path) in [
            ("GET http://y:2/p?q", "/p"), ("GET https://y", "/"), ("GET http://y?q", "/"), ("GET //a/../b", "//a/../b"),
        ] {
            let text = "\(line) HTTP/1.1\r\nHost: x\r\n\r\n"
            let request = HTTPRequest(method: "GET", path: path, headers: host)
            #expect(Self.parse(text) == .request(request, byteCount: text.utf8.count), "\(line)")
        }
        #expect(
            Self.parse("\r\n\r\nHEAD / HTTP/1.0\r\n\r\n")
                == .request(HTTPRequest(method: "HEAD", path: "/", minorVersion: 0), byteCount: 23))
    }

    @Test func `a request cut anywhere is the same when its rest has come`() {
        let text = "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n"
        let whole = Self.parse(text)
        for cut in text.utf8.indices {
            var parser = HTTPRequestParser(maximumBytes: 100)
            #expect(parser.parse(Array(text.utf8[..<cut])[...]) == .needsMore(emptyBytes: 0))
            #expect(parser.parse(Array(text.utf8)[...]) == whole)
        }
    }

    @Test(arguments: [
        Refused("GET / HTTP/1.1\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET / http/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET /\r\nHost: a\r\n\r\n", .badRequest),
        Refused("G{T / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET x HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        // As a proxy's rule for /metrics doesn't know it.
        Refused("GET /%6detrics HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET /a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\nHost: a\n\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", .badRequest),
        Refused("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
        Refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .badRequest),
        Refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", .methodNotAllowed),
        Refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", .contentTooLarge),
        Refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -0\r\n\r\n", .badRequest),
        Refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0, 0\r\n\r\n", .badRequest),
        Refused(
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n", .notImplemented),
    ])
    func `a request that isn't in order is refused by name`(_ refused: Refused) {
        guard case .refused(let response, _) = Self.parse(refused.text) else {
            Issue.record("\(refused.text) was taken")
            return
        }
        #expect(response.status == refused.status)
        #expect(response.body.last == UInt8(ascii: "\n") && response.body.count > 10)
    }

    @Test func `a header is as long as its bound and no longer`() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Self.parse(text, maximumBytes: text.utf8.count) != .needsMore(emptyBytes: 0))
        for (beginning, status) in [
            (String(text.dropLast(1)), HTTPStatus.headerFieldsTooLarge), (text, .headerFieldsTooLarge),
            ("GET /" + String(repeating: "x", count: 50), .uriTooLong),
        ] {
            guard case .refused(let response, _) = Self.parse(beginning, maximumBytes: 20) else {
                Issue.record("\(beginning) was taken")
                continue
            }
            #expect(response.status == status)
        }
    }

    @Test func `no bytes make it trap`() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("GET / HTTP/1.1\r\n\r\n\r\nHost: %0a\u{0}ä:, ".utf8)
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            var parser = HTTPRequestParser(maximumBytes: 60)
            if case .request(_, let count) = parser.parse(bytes[...]) { #expect(count <= bytes.count) }
        }
    }
}
