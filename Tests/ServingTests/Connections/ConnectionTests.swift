import Serving
import TestSupport
import Testing
import Transport

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct ConnectionTests {
    @Test(
        arguments: [
            { $0.cut() }, { $0.endInput() }, { $0.send(Wire.notification("exit")) },
        ] as [@Sendable (TestClient) -> Void])
    func `a connection that was closed is let go, though its session goes on and knows its handle`(
        end: @Sendable (TestClient) -> Void
    ) async throws {
        try await withServer { server in
            let (client, connection) = await connect(to: server)
            client.send(Wire.request("1", "initialize"), Wire.open("2", "hello"), Wire.request("3", "ping"))
            for _ in 1...4 { _ = try await client.next() }
            #expect(await isThere(connection, server.loops[0]))
            end(client)
            await client.expectEnd()
            #expect(await !isThere(connection, server.loops[0]))
            let other = try await server.connected()
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1"}"#))
            #expect(try await other.next().hasPrefix(#"{"jsonrpc":"2.0","id":1,"result""#))
        }
    }

    private final class Weak {
        weak var connection: (any ByteStreamHandler)?

        init(_ connection: (any ByteStreamHandler)?) {
            self.connection = connection
        }
    }

    private func connect(to server: TestServer) async -> (TestClient, LoopBound<Weak>) {
        let loop = server.loops[0]
        let client = TestClient(framing: .lines, loop: loop)
        let connection = await withCheckedContinuation { continuation in
            loop.execute { [core = server.core] in
                let (near, far) = MemoryStream.pair(loop: loop)
                client.begin(near)
                core.serve(far, isProcess: true) { client.didEnd(status: $0) }
                continuation.resume(returning: LoopBound(Weak(far.handler), loop: loop))
            }
        }
        return (client, connection)
    }

    private func isThere(_ connection: LoopBound<Weak>, _ loop: EventLoop) async -> Bool {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: connection.value.connection != nil) }
        }
    }
}
