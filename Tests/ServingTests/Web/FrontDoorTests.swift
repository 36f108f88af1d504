import Serving
import Sessions
import TestSupport
import Testing
import Transport

@Suite(.inTurn, .timeLimit(.minutes(4))) struct FrontDoorTests {
    /// What a client on a TCP port is sent, until the server or the client ends the connection.
    private func talk(
        _ text: String, _ frames: [UInt8] = [], to server: TestServer, pieceBytes: Int = .max
    ) async -> String {
        let loop = server.loops[0]
        return await withCheckedContinuation { continuation in
            loop.execute { [core = server.core] in
                let (near, far) = MemoryStream.pair(loop: loop, pieceBytes: pieceBytes)
                near.handler = Listener { continuation.resume(returning: $0) }
                near.start()
                near.write { $0.append(contentsOf: Array(text.utf8) + frames) }
                near.finishWriting()
                FrontDoor(core: core, site: Site(core: core)).accept(far)
            }
        }
    }

    private final class Listener: ByteStreamHandler {
        private var bytes: [UInt8] = []
        private let done: (String) -> Void

        init(_ done: @escaping (String) -> Void) {
            self.done = done
        }

        func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
            self.bytes.append(contentsOf: bytes)
        }

        func streamDidReachEnd(_ stream: any ByteStream) {
            stream.finish()
        }

        func streamDidSend(_ stream: any ByteStream) {}

        func stream(_ stream: any ByteStream, didClose error: SystemError?) {
            done(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test(arguments: [1, 3, .max])
    func `one port speaks HTTP, lines and headers, by the first byte`(_ pieceBytes: Int) async throws {
        try await withServer { server in
            let ping = #"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#
            for (text, beginning) in [
                ("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n"),
                ("\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n"),
                ("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 404 Not Found\r\n"),
                ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{\"id\":1}\n", "HTTP/1.1 405 "),
                ("HELLO\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"),
                ("\n \(ping)\n", #"{"jsonrpc":"2.0","id":1,"result""#),
                ("[\(ping)]\n", #"[{"jsonrpc":"2.0","id":1,"result""#),
                ("Content-Length: \(ping.utf8.count)\r\n\r\n\(ping)", "Content-Length: "),
                ("content-length: \(ping.utf8.count)\r\n\r\n\(ping)", "Content-Length: "),
                ("hello", #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700"#),
            ] {
                let answer = await talk(text, to: server, pieceBytes: pieceBytes)
                #expect(answer.hasPrefix(beginning), "\(text): \(answer)")
            }
        }
    }

    @Test func `a request for a page makes no connection, and silence neither`() async throws {
        try await withServer { server in
            _ = await talk("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", to: server)
            _ = await talk("", to: server)
            #expect(server.allConnectionCount == 0)
            _ = await talk("{}\n", to: server)
            #expect(server.allConnectionCount == 1 && server.connectionCount == 0)
        }
    }

    @Test(arguments: [
        ("", ""),
        ("{}\n", #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600"#),
    ])
    func `a drain reads what a new stream has brought, and closes it otherwise`(
        _ text: String, _ beginning: String
    ) async throws {
        try await withServer { server in
            let loop = server.loops[0]
            let door = FrontDoor(core: server.core, site: Site(core: server.core))
            let (answer, answered) = AsyncStream.makeStream(of: String.self)
            let stream = await withCheckedContinuation { continuation in
                loop.execute {
                    let (near, far) = MemoryStream.pair(loop: loop)
                    near.handler = Listener {
                        answered.yield($0)
                        answered.finish()
                    }
                    door.accept(far)
                    far.isReadingPaused = true
                    near.start()
                    near.write { $0.append(contentsOf: text.utf8) }
                    continuation.resume(returning: LoopBound(far, loop: loop))
                }
            }
            // What was written arrives, and isn't read before the drain.
            try await server.turns()
            loop.execute { stream.value.isReadingPaused = false }
            await door.drain()
            await server.core.drain()
            let whole = await answer.first { _ in true }
            #expect(beginning.isEmpty ? whole == "" : whole?.hasPrefix(beginning) == true)
        }
    }

    @Test func `a conversation over WebSocket begins on the same port, in the same bytes as the handshake`()
        async throws
    {
        try await withServer { server in
            let answer = await talk(Self.handshake, Self.initialize, to: server)
            #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
            #expect(answer.contains(#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1.2""#))
        }
    }

    private static let handshake =
        "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private static let initialize = TestFraming.webSocket.frame(#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)

    @Test(arguments: [("initialBytes", []), ("messageBytes", initialize)])
    func `a message over WebSocket that is too long is answered, counted and logged`(
        _ limit: String, _ beginning: [UInt8]
    ) async throws {
        var limits = Limits()
        (limits.initialBytes, limits.messageBytes) = (10_000, 20_000)
        try await withServer(limits: limits) { server in
            let long = TestFraming.webSocket.frame(Wire.request("2", String(repeating: "x", count: 30_000)))
            let answer = await talk(Self.handshake, beginning + long, to: server)
            #expect(answer.contains(#""limit":"\#(limit)""#), "\(answer)")
            #expect(server.exceeded == [limit: 1])
            #expect(server.log.elements.contains { $0.hasSuffix("(\(limit))") }, "\(server.log.elements)")
        }
    }

    @Test func `an HTTP request that is too long, or doesn't end, is counted and logged`() async throws {
        try await withServer { server in
            let long = "GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n"
            #expect(await talk(long, to: server).hasPrefix("HTTP/1.1 431 "))
            #expect(server.exceeded == ["headerBytes": 1])
            _ = try await silence(Array("GET / HTTP/1.1\r\n".utf8), of: server) { server.pass(.seconds(10)) }
            #expect(server.exceeded == ["headerBytes": 1, "httpRequestTime": 1])
            for limit in ["headerBytes", "httpRequestTime"] {
                #expect(server.log.elements.contains { $0.hasSuffix("(\(limit))") }, "\(server.log.elements)")
            }
        }
    }

    @Test(arguments: [0, 1, 8_000])
    func `a client has a time for its first byte, and white space is none`(_ blanks: Int) async throws {
        try await withServer { server in
            let answer = try await silence(Array(repeating: UInt8(ascii: "\n"), count: blanks), of: server) {
                server.pass(.seconds(10) - .nanoseconds(1))
                try await server.turns()
                #expect(server.exceeded == [:])
                server.pass(.nanoseconds(1))
            }
            #expect(answer == "")
            #expect(server.exceeded == ["initializeTime": 1])
        }
    }

    @Test func `white space before the first byte has an end`() async throws {
        try await withServer { server in
            let answer = try await silence(Array(repeating: UInt8(ascii: " "), count: 9_000), of: server) {}
            #expect(answer == "")
            #expect(server.exceeded == ["headerBytes": 1])
        }
    }

    /// What a client gets that sends this and no end.
    private func silence(
        _ bytes: [UInt8], of server: TestServer, _ meanwhile: () async throws -> Void
    ) async throws -> String? {
        let loop = server.loops[0]
        let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        loop.execute { [core = server.core] in
            let (near, far) = MemoryStream.pair(loop: loop)
            near.handler = Listener {
                continuation.yield($0)
                continuation.finish()
            }
            near.start()
            near.write { $0.append(contentsOf: bytes) }
            FrontDoor(core: core, site: Site(core: core)).accept(far)
        }
        try await server.turns()
        try await meanwhile()
        return await answers.first { _ in true }
    }
}
