import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct HTTPConnectionTests {
        /// Answers each request with its method and path. Returns the client's side.
        private func open(
            _ loop: EventLoop, exceeded: TestSupport.Recorder<HTTPConnection.Exceeded> = .init(),
            _ change: @escaping @Sendable (inout HTTPConnection.Limits) -> Void = { _ in }
        ) async throws -> LoopBound<Recorder> {
            try await loop.run {
                let (near, far) = MemoryStream.pair(loop: loop)
                var limits = HTTPConnection.Limits()
                change(&limits)
                _ = HTTPConnection(far, limits: limits, didExceed: { exceeded.record($0) }) { request in
                    let response = HTTPResponse.text(.ok, "\(request.method) \(request.path)")
                    return request.path == "/late" ? .last(response, after: .seconds(1)) : .response(response)
                }
                far.start()
                near.start()
                return LoopBound(Recorder(near), loop: loop)
            }
        }

        /// Without the date, which is another each time.
        private static func answer(_ status: String, _ body: String, length: Int? = nil, closes: Bool = false) -> String
        {
            "HTTP/1.1 \(status)\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Length: \(length ?? body.utf8.count)\r\n\(closes ? "Connection: close\r\n" : "")\r\n\(body)"
        }

        private static func withoutDates(_ text: String) -> String {
            text.split(separator: "\r\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("Date: ") }
                .joined(separator: "\r\n")
        }

        @Test func `an answer that comes late is the last, and what is behind its request isn't looked at`()
            async throws
        {
            let clock = ManualClock()
            try await withLoop(.epoll, clock: clock) { loop in
                let client = try await open(loop)
                try await loop.run {
                    client.value.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\nGET /never HTTP/1.1\r\nHost: x\r\n\r\n")
                }
                try await loop.advance(clock, by: .milliseconds(999))
                #expect(try await loop.run { client.value.text.isEmpty })
                try await loop.advance(clock, by: .milliseconds(1))
                try await client.until("the end", on: loop) { $0.endCount == 1 }
                let text = try await loop.run { Self.withoutDates(client.value.text) }
                #expect(text == Self.answer("200 OK", "GET /late\n", closes: true))
            }
        }

        @Test func `requests in one piece are answered in order, and the connection stays`() async throws {
            try await withLoop(.epoll) { loop in
                let client = try await open(loop)
                try await loop.run {
                    client.value.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nHEAD /bc HTTP/1.1\r\nHost: x\r\n\r\n")
                }
                let expected = Self.answer("200 OK", "GET /a\n") + Self.answer("200 OK", "", length: 9)
                try await client.until("both answers", on: loop) { Self.withoutDates($0.text) == expected }
                try await loop.run { client.value.send("GET /d HTTP/1.1\r\nHost: x\r\n\r\n") }
                try await client.until("the third", on: loop) { $0.text.hasSuffix("GET /d\n") }
                let isClosed = try await loop.run { client.value.isClosed || client.value.endCount > 0 }
                #expect(!isClosed)
            }
        }

        @Test(arguments: [
            (
                "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\nHost: x\r\n\r\n",
                "200 OK", "GET /\n"
            ),
            ("GET / HTTP/1.0\r\n\r\n", "200 OK", "GET /\n"),
            ("GET / HTTP/3\r\n\r\n", "505 HTTP Version Not Supported", "this server speaks HTTP/1.1\n"),
        ])
        func `the last answer says so, and the connection ends`(
            _ request: String, _ status: String, _ body: String
        ) async throws {
            try await withLoop(.epoll) { loop in
                let client = try await open(loop)
                try await loop.run { client.value.send(request) }
                try await client.until("the end", on: loop) { $0.endCount == 1 }
                let text = try await loop.run { Self.withoutDates(client.value.text) }
                #expect(text == Self.answer(status, body, closes: true))
            }
        }

        @Test func `HTTP/1.0 may ask to stay`() async throws {
            try await withLoop(.epoll) { loop in
                let client = try await open(loop)
                let request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
                try await loop.run { client.value.send(request + request) }
                try await client.until("two answers", on: loop) { $0.text.split(separator: "GET /\n").count == 2 }
            }
        }

        @Test(arguments: [
            ("", HTTPConnection.Limits().requestTime, [HTTPConnection.Exceeded.requestTime]),
            ("GET / HT", HTTPConnection.Limits().requestTime, [.requestTime]),
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", HTTPConnection.Limits().idleTime, []),
        ])
        func `a client that doesn't go on has a limited time, and only one that idles may`(
            _ beginning: String, _ limit: Duration, _ expected: [HTTPConnection.Exceeded]
        ) async throws {
            let exceeded = TestSupport.Recorder<HTTPConnection.Exceeded>()
            let clock = ManualClock()
            try await withLoop(.epoll, clock: clock) { loop in
                let client = try await open(loop, exceeded: exceeded)
                try await loop.run { client.value.send(beginning) }
                try await loop.turns(2)
                try await loop.advance(clock, by: limit - .nanoseconds(1))
                try await loop.turns(3)
                #expect(try await loop.run { client.value.endCount == 0 })
                try await loop.advance(clock, by: .nanoseconds(1))
                try await client.until("the end", on: loop) { $0.endCount == 1 }
                #expect(exceeded.elements == expected)
            }
        }

        @Test func `empty lines before a request have an end`() async throws {
            let exceeded = TestSupport.Recorder<HTTPConnection.Exceeded>()
            try await withLoop(.epoll) { loop in
                let client = try await open(loop, exceeded: exceeded)
                for _ in 0..<3 {
                    try await loop.run {
                        client.value.send(String(repeating: "\r\n", count: 2_500) + "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    }
                }
                for _ in 0..<3 {
                    try await loop.run { client.value.send(String(repeating: "\n", count: 3_000)) }
                    try await loop.turns(3)
                }
                try await client.until("the end", on: loop) { $0.endCount == 1 }
                let text = try await loop.run { client.value.text }
                #expect(text.split(separator: "GET /\n").count == 4)
                #expect(text.hasSuffix("more than 8192 bytes of empty lines before a request\n"))
                #expect(exceeded.elements == [.headerBytes])
            }
        }

        @Test func `empty lines are no request, and give no time for one`() async throws {
            let clock = ManualClock()
            try await withLoop(.epoll, clock: clock) { loop in
                let client = try await open(loop)
                for _ in 0..<9 {
                    try await loop.run { client.value.send("\r\n") }
                    try await loop.turns(3)
                    try await loop.advance(clock, by: .seconds(1))
                    try await loop.turns(3)
                    #expect(try await loop.run { client.value.endCount == 0 })
                }
                try await loop.advance(clock, by: .seconds(1))
                try await client.until("the end", on: loop) { $0.endCount == 1 }
            }
        }

        @Test(arguments: [false, true])
        func `a client that reads nothing of its answer has a limited time`(_ reads: Bool) async throws {
            let clock = ManualClock()
            try await withLoop(.epoll, clock: clock) { loop in
                let client = try await open(loop)
                try await loop.run {
                    client.value.stream.isReadingPaused = true
                    let request = "GET /\(String(repeating: "x", count: 5_000)) HTTP/1.1\r\nHost: x\r\n\r\n"
                    client.value.send(String(repeating: request, count: 20))
                }
                try await loop.turns(20)
                if reads {
                    try await loop.run { client.value.stream.isReadingPaused = false }
                    try await loop.turns(20)
                }
                for _ in 0..<2 {
                    try await loop.advance(clock, by: .seconds(10))
                    try await loop.turns(5)
                }
                try await loop.run { client.value.stream.isReadingPaused = false }
                if reads {
                    #expect(try await loop.run { client.value.endCount == 0 })
                } else {
                    try await client.until("the end", on: loop) { $0.endCount == 1 || $0.isClosed }
                }
            }
        }

        @Test func `a client that doesn't read gets a limited number of answers`() async throws {
            try await withLoop(.epoll) { loop in
                let client = try await open(loop) { $0.unsentBytes = 100_000 }
                let count = 20_000
                try await loop.run {
                    client.value.stream.isReadingPaused = true
                    let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
                    client.value.send(String(repeating: request, count: count))
                }
                // In later turns: by then the server has taken what it wants.
                try await loop.turns(20)
                let unsent = try await loop.run { client.value.stream.unsentByteCount }
                #expect(unsent > 0, "the server took all requests of a client that doesn't read")
                try await loop.run { client.value.stream.isReadingPaused = false }
                try await client.until("all answers", on: loop) {
                    $0.text.split(separator: "GET /\n").count == count
                }
            }
        }
    }
}
