import Serving
import Sessions
import Stores
import TestSupport
import Testing
import Transport
import ViewModels

@Suite(.inTurn, .timeLimit(.minutes(4))) struct SiteTests {
    private static let files = [
        WebFile(path: "/index.html", contents: Array("<p>".utf8)),
        WebFile(path: "/app.js", contents: Array("1".utf8)),
    ]

    private static func request(
        _ path: String, method: String = "GET", _ headers: KeyValuePairs<String, String> = [:]
    ) -> HTTPRequest {
        let host = HTTPRequest.Header(name: "host", value: "127.0.0.1:7351")
        return HTTPRequest(method: method, path: path, headers: [host] + headers.map { .init(name: $0, value: $1) })
    }

    private func answer(_ request: HTTPRequest, of site: Site) -> HTTPResponse {
        guard case .response(let response) = site.answer(request) else {
            Issue.record("\(request.path) goes over to WebSocket")
            return HTTPResponse(.ok)
        }
        return response
    }

    private func withSite(
        files: [WebFile]? = files, origins: [String] = [], _ body: (Site, TestServer) async throws -> Void
    ) async throws {
        try await withServer { server in
            try await body(Site(core: server.core, files: files, origins: AllowedOrigins(origins)), server)
        }
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8", "<p>"), ("/index.html", "text/html; charset=utf-8", "<p>"),
        ("/app.js", "text/javascript; charset=utf-8", "1"), ("/healthz", "text/plain; charset=utf-8", "ready\n"),
    ])
    func `a path that there is is served with its type`(_ path: String, _ type: String, _ body: String) async throws {
        try await withSite { site, _ in
            let response = answer(Self.request(path), of: site)
            #expect(response.status == .ok && String(decoding: response.body, as: UTF8.self) == body)
            #expect(response.headers.first { $0.name == "Content-Type" }?.value == type)
        }
    }

    @Test func `a file of the user's own views takes the place of the executable's`() async throws {
        let own = WebFile(own: WebFile.ownViews, contents: Array("own".utf8))
        #expect(WebFile.embedded.contains { $0.path == own.path })
        try await withSite(files: WebFile.embedded + [own]) { site, _ in
            let response = answer(Self.request("/own/views.js"), of: site)
            #expect(response.status == .ok && String(decoding: response.body, as: UTF8.self) == "own")
        }
    }

    @Test(arguments: [
        "/other", "/../index.html", "/./", "//", "/index.html/", "/INDEX.HTML", "/wss", "/ws/", "/etc/passwd",
    ])
    func `nothing else is there`(_ path: String) async throws {
        try await withSite { site, _ in
            #expect(answer(Self.request(path), of: site).status == .notFound)
        }
    }

    @Test func `without the page there is the rest`() async throws {
        try await withSite(files: nil) { site, _ in
            #expect(answer(Self.request("/"), of: site).status == .notFound)
            #expect(answer(Self.request("/healthz"), of: site).status == .ok)
            #expect(answer(Self.request("/ws"), of: site).status == .upgradeRequired)
        }
    }

    @Test func `a file that the browser has isn't sent again`() async throws {
        try await withSite { site, _ in
            let first = answer(Self.request("/"), of: site)
            let tag = try #require(first.headers.first { $0.name == "ETag" }?.value)
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let response = answer(Self.request("/", ["if-none-match": known]), of: site)
                #expect(response.status == .notModified && response.body.isEmpty, "\(known)")
                #expect(response.headers.contains { $0 == ("ETag", tag) })
            }
            let other = try #require(
                answer(Self.request("/app.js"), of: site).headers.first { $0.name == "ETag" }?.value)
            #expect(answer(Self.request("/", ["if-none-match": other]), of: site).status == .ok)
        }
    }

    @Test func `pages may load nothing from elsewhere, and stand in no other's frame`() async throws {
        try await withSite { site, _ in
            let headers = answer(Self.request("/"), of: site).headers
            let policy = try #require(headers.first { $0.name == "Content-Security-Policy" }?.value)
            for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe"))
        }
    }

    @Test(arguments: [
        ("127.0.0.1:7351", " ws://127.0.0.1:7351 wss://127.0.0.1:7351"), ("[::1]:80", " ws://[::1]:80 wss://[::1]:80"),
        ("views.example", " ws://views.example wss://views.example"), ("a; script-src *", ""), ("a b", ""), ("", ""),
    ])
    func `pages may connect to their own host alone`(_ host: String, _ sources: String) async throws {
        try await withSite { site, _ in
            var request = Self.request("/")
            request.headers[0].value = host
            for status in [HTTPStatus.ok, .notModified] {
                let response = answer(request, of: site)
                #expect(response.status == status)
                let policy = try #require(response.headers.first { $0.name == "Content-Security-Policy" }?.value)
                #expect(policy.contains("connect-src 'self'\(sources);"), "\(policy)")
                request.headers.append(.init(name: "if-none-match", value: "*"))
            }
        }
    }

    @Test(arguments: [
        (nil, false), ("Bearer s3cret", true), ("bearer s3cret", true), ("Bearer wrong", false), ("Bearer ", false),
        ("Bearer", false), ("Basic s3cret", false), ("s3cret", false),
    ])
    func `with a token, the metrics want it too`(_ authorization: String?, _ isAllowed: Bool) async throws {
        try await withServer(token: "s3cret") { server in
            var request = Self.request("/metrics")
            if let authorization { request.headers.append(.init(name: "authorization", value: authorization)) }
            let response = answer(request, of: Site(core: server.core))
            #expect(response.status == (isAllowed ? .ok : .unauthorized))
            #expect(response.headers.contains { $0 == ("WWW-Authenticate", "Bearer") } == !isAllowed)
            #expect(answer(request, of: Site(core: server.core, opensMetrics: true)).status == .ok)
            #expect(answer(Self.request("/healthz"), of: Site(core: server.core)).status == .ok)
        }
    }

    @Test func `one of many wrong tokens is answered late, as the connection's last request`() async throws {
        try await withServer(token: "s3cret") { server in
            let site = Site(core: server.core)
            var request = Self.request("/metrics")
            request.headers.append(.init(name: "authorization", value: "Bearer wrong"))
            for _ in 1...10 { #expect(answer(request, of: site).status == .unauthorized) }
            guard case .last(let response, after: .seconds(1)) = site.answer(request) else {
                Issue.record("it was answered at once")
                return
            }
            #expect(response.status == .unauthorized)
            #expect(answer(Self.request("/metrics"), of: site).status == .unauthorized)
        }
    }

    @Test(arguments: ["/", "/healthz", "/metrics"])
    func `it can only be read`(_ path: String) async throws {
        try await withSite { site, _ in
            let response = answer(Self.request(path, method: "POST"), of: site)
            #expect(response.status == .methodNotAllowed)
            #expect(response.headers.contains { $0 == ("Allow", "GET, HEAD") })
        }
    }

    @Test func `a WebSocket is for pages that may connect`() async throws {
        try await withSite(origins: ["https://views.example"]) { site, _ in
            let handshake: KeyValuePairs = [
                "upgrade": "websocket", "connection": "upgrade", "sec-websocket-version": "13",
                "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
            ]
            for (origin, isAllowed) in [
                ("http://127.0.0.1:7351", true), ("https://views.example", true), ("https://evil.example", false),
            ] {
                var request = Self.request("/ws", handshake)
                request.headers.append(.init(name: "origin", value: origin))
                switch site.answer(request) {
                case .last: Issue.record("it isn't answered at once")
                case .webSocket: #expect(isAllowed, "\(origin)")
                case .response(let response):
                    #expect(!isAllowed && response.status == .forbidden, "\(origin)")
                    #expect(String(decoding: response.body, as: UTF8.self).contains("--allow-origin"))
                }
            }
        }
    }

    @Test func `while the server drains it says so`() async throws {
        try await withSite { site, server in
            await server.core.drain()
            #expect(answer(Self.request("/healthz"), of: site).status == .serviceUnavailable)
            #expect(answer(Self.request("/ws"), of: site).status == .serviceUnavailable)
        }
    }

    @Test func `while the store can't be reached it says so, and why`() async throws {
        let store = MemoryStore()
        let journal = try Journal(store, retryDelay: .milliseconds(1))
        try await withServer(journal: journal) { server in
            let site = Site(core: server.core)
            #expect(answer(Self.request("/healthz"), of: site).status == .ok)
            store.fail(at: 1, .isAway)
            let isStored = Gate()
            journal.commit(scene: SceneLife("a"), changes: [.useScene(key: "a", time: 1)]) { _ in isStored.open() }
            await until { journal.failure != nil }
            let response = answer(Self.request("/healthz"), of: site)
            #expect(response.status == .serviceUnavailable)
            #expect(String(decoding: response.body, as: UTF8.self) == "without store: away\n")
            store.mend()
            await isStored.wait()
            #expect(answer(Self.request("/healthz"), of: site).status == .ok)
        }
        await withCheckedContinuation { done in journal.finish { done.resume() } }
    }

    @Test func `with a store there are its figures, and those of what servers do for each other`() async throws {
        let journal = try Journal(MemoryStore())
        try await withServer(journal: journal) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "counter"), Wire.open("2", "hello"))
            for _ in 0..<4 { _ = try await client.next() }
            let relays = server.core.relays
            relays.didRelay()
            relays.didRelay()
            relays.didEndRelay()
            relays.didMove()
            let page = answer(Self.request("/metrics"), of: Site(core: server.core))
            let lines = String(decoding: page.body, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            for line in [
                "view_model_server_sessions_owned 1", "view_model_server_views_relayed 1",
                "view_model_server_views_relayed_total 2", "view_model_server_sessions_moved_total 1",
                "view_model_server_store_available 1", "view_model_server_store_errors_total 0",
            ] { #expect(lines.contains { $0 == line }, "\(line) isn't in \(lines)") }
            let values = Dictionary(
                uniqueKeysWithValues: lines.compactMap { line in
                    line.lastIndex(of: " ").map { (line[..<$0], Double(line[$0...].dropFirst()) ?? -1) }
                })
            let name = "view_model_server_store_commit"
            #expect(values["\(name)_seconds_sum"] ?? 0 > 0)
            #expect(values["\(name)_seconds_count"] == values["\(name)s_total"])
        }
        await withCheckedContinuation { done in journal.finish { done.resume() } }
    }

    @Test func `the metrics are Prometheus text and count what there is`() async throws {
        try await withSite { site, server in
            let client = try await server.connected()
            client.send(Wire.open("1", "counter"), Wire.open("2", "counter"), Wire.open("3", "hello"))
            for _ in 0..<6 { _ = try await client.next() }
            client.send(Wire.request("4", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.result("4"))
            Metrics.counter("site_tests_looks_total", "Looks, \nin two lines.").add(3)
            let text = String(decoding: answer(Self.request("/metrics"), of: site).body, as: UTF8.self)
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            for line in [
                #"view_model_server_info{name="view-model-server",version="1.2.3"} 1"#,
                "view_model_server_connections 1", "view_model_server_connections_total 1",
                #"view_model_server_sessions{view_model="counter"} 1"#,
                #"view_model_server_sessions{view_model="hello"} 1"#,
                #"view_model_server_views{view_model="counter"} 1"#,
                #"view_model_server_events_total{view_model="counter"} 2"#,
                #"view_model_server_events_total{view_model="hello"} 1"#, "site_tests_looks_total 3",
            ] { #expect(lines.contains { $0 == line }, "\(line) isn't in\n\(text)") }
            #expect(text.contains("# HELP site_tests_looks_total Looks, \\nin two lines.\n"))
            let sample = /[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+/
            for line in lines { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
        }
    }
}
