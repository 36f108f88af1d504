import LibC
import Testing
import Transport

extension TransportTests {
    /// The rules of all streams, over every way to connect two and both pollers.
    @Suite struct ByteStreamTests {
        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `written bytes arrive, cut anywhere, and are echoed`(kind: StreamKind, poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let (server, client) = try await kind.open(on: loop)
                let text = "Content-Length: 17\r\n\r\n{\"an\":\"äöü 🙂\"}"
                let count = text.utf8.count
                try await loop.run {
                    server.value.didRead = { recorder, bytes in
                        recorder.stream.write { $0.append(contentsOf: bytes) }
                    }
                    server.value.stream.start()
                    client.value.stream.start()
                }
                for cut in 0...count {
                    try await loop.run { client.value.stream.write { $0.append(contentsOf: text.utf8.prefix(cut)) } }
                    // Another turn of the loop lies between.
                    try await loop.run { client.value.stream.write { $0.append(contentsOf: text.utf8.dropFirst(cut)) } }
                    try await client.until("the echo of cut \(cut)", on: loop) { $0.bytes.count == (cut + 1) * count }
                }
                let echoed = try await loop.run { client.value.text }
                #expect(echoed == String(repeating: text, count: count + 1))
            }
        }

        @Test(arguments: StreamKind.allCases.filter { $0 != .memoryInPieces }, PollerKind.allCases)
        func `ten megabytes through a slow reader arrive byte for byte`(
            kind: StreamKind, poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
                let (writer, reader) = try await kind.open(on: loop)
                let expected = pattern(10_000_000)
                try await loop.run {
                    reader.value.didRead = { recorder, _ in
                        // Reads for a moment, then looks away, again and again.
                        recorder.stream.isReadingPaused = true
                        loop.atEndOfTurn { recorder.stream.isReadingPaused = false }
                    }
                    reader.value.stream.start()
                    writer.value.stream.start()
                    writer.value.stream.write { $0.append(contentsOf: expected) }
                    #expect(writer.value.stream.unsentByteCount == expected.count)
                }
                try await reader.until("all bytes", on: loop) { $0.bytes.count >= expected.count }
                try await writer.until("the report that all is sent", on: loop) { $0.sentCount == 1 }
                try await loop.run {
                    #expect(reader.value.bytes == expected)
                    #expect(writer.value.stream.unsentByteCount == 0)
                    #expect(reader.value.readCount > 10 || reader.value.stream.carriesMessages)
                }
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `a peer that doesn't read leaves bytes unsent and fills no more than its bound`(
            kind: StreamKind, poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
                let (writer, reader) = try await kind.open(on: loop)
                try await loop.run {
                    writer.value.stream.start()
                    reader.value.stream.isReadingPaused = true
                    reader.value.stream.start()
                    writer.value.stream.write { $0.append(contentsOf: bulk(20_000_000)) }
                }
                let unsent = try await loop.run { writer.value.stream.unsentByteCount }
                #expect(unsent > 1_000_000)
                try await loop.run {
                    #expect(writer.value.sentCount == 0)
                    #expect(reader.value.bytes.isEmpty)
                    writer.value.stream.close()
                    #expect(writer.value.stream.unsentByteCount == 0)
                }
                try await writer.until("the close", on: loop) { $0.isClosed }
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `after a half close the other way goes on`(kind: StreamKind, poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let (server, client) = try await kind.open(on: loop)
                try await loop.run {
                    server.value.stream.start()
                    client.value.stream.start()
                    client.value.send("the question")
                    client.value.stream.finishWriting()
                    client.value.send("too late")
                }
                try await server.until("the end", on: loop) { $0.endCount == 1 }
                try await loop.run {
                    #expect(server.value.text == "the question")
                    server.value.send("the answer")
                }
                try await client.until("the answer", on: loop) { $0.text == "the answer" }
                try await loop.run {
                    #expect(!client.value.isClosed && !server.value.isClosed)
                    server.value.send(", and more")
                    server.value.stream.finishWriting()
                }
                try await client.until("the close", on: loop) { $0.isClosed }
                try await server.until("the close", on: loop) { $0.isClosed }
                try await loop.run {
                    #expect(client.value.text == "the answer, and more")
                    #expect(client.value.closures == [nil] && server.value.closures == [nil])
                }
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `finish sends what is unsent first`(kind: StreamKind, poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let (server, client) = try await kind.open(on: loop)
                try await loop.run {
                    server.value.stream.start()
                    client.value.stream.start()
                    server.value.stream.write { $0.append(contentsOf: bulk(300_000)) }
                    server.value.stream.finish()
                    server.value.send("too late")
                    client.value.send("nobody reads this")
                }
                try await client.until("the end", on: loop) { $0.endCount == 1 }
                try await server.until("the close", on: loop) { $0.isClosed }
                try await loop.run {
                    #expect(client.value.bytes.count == 300_000)
                    #expect(server.value.closures == [nil])
                    #expect(server.value.bytes.isEmpty)
                    #expect(server.value.stream.handler == nil, "the stream lets go of its handler")
                }
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `a write to a peer that is gone ends the stream and not the process`(
            kind: StreamKind, poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
                let (server, client) = try await kind.open(on: loop)
                try await loop.run {
                    server.value.stream.isReadingPaused = true
                    server.value.stream.start()
                    server.value.didSend = { $0.stream.write { $0.append(contentsOf: bulk(999_999)) } }
                    server.value.stream.write { $0.append(contentsOf: bulk(20_000_000)) }
                    loop.atEndOfTurn { client.value.stream.close() }
                }
                try await server.until("the failed write", on: loop) { $0.isClosed }
                let error = try await loop.run { server.value.closures[0] }
                #expect(error?.code == EPIPE || error?.code == ECONNRESET)
                #expect(error?.call == "write")
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `bytes that a peer sent before it closed can be read after a failed write`(
            kind: StreamKind, poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
                let (server, client) = try await kind.open(on: loop)
                try await loop.run {
                    let (server, client) = (server.value, client.value)
                    server.readsOn = true
                    server.stream.isReadingPaused = true
                    server.stream.start()
                    client.send("last words")
                }
                try await loop.run { client.value.stream.close() }
                try await client.until("the close", on: loop) { $0.isClosed }
                // The first may still be taken by the kernel.
                while try await loop.run({ server.value.failures.isEmpty }) {
                    try await loop.run { server.value.send("too late") }
                }
                try await loop.run {
                    server.value.send("far too late")
                    #expect(server.value.stream.unsentByteCount == 0)
                    server.value.stream.isReadingPaused = false
                }
                try await server.until("the close", on: loop) { $0.isClosed }
                try await loop.run {
                    #expect(server.value.text == "last words")
                    #expect(server.value.failures.count == 1)
                    #expect(server.value.closures[0] != nil)
                }
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `a stream may be closed from each of its callbacks`(kind: StreamKind, poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                for step in 0..<3 {
                    let (server, client) = try await kind.open(on: loop)
                    try await loop.run {
                        let close: (Recorder) -> Void = { recorder in
                            recorder.stream.close()
                            #expect(!recorder.isClosed, "didClose inside of close")
                            recorder.send("dropped")
                            recorder.stream.finish()
                            recorder.stream.close()
                        }
                        if step == 0 { server.value.didRead = { recorder, _ in close(recorder) } }
                        if step == 1 { server.value.didEnd = close }
                        if step == 2 { server.value.didSend = close }
                        server.value.stream.start()
                        client.value.stream.start()
                        client.value.send("a question that is long enough for a few pieces")
                        client.value.stream.finishWriting()
                        if step == 2 {
                            server.value.stream.write {
                                $0.append(contentsOf: bulk(kind == .memoryInPieces ? 100_000 : 9_000_000))
                            }
                        }
                    }
                    try await server.until("the close in step \(step)", on: loop) { $0.isClosed }
                    try await loop.run { #expect(server.value.closures == [nil]) }
                    if step == 0 { try await loop.run { #expect(server.value.readCount == 1) } }
                }
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `readAvailable delivers what has arrived, without a turn of the loop`(
            kind: StreamKind, poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
                let (server, client) = try await kind.open(on: loop)
                try await loop.run {
                    server.value.stream.isReadingPaused = true
                    server.value.stream.start()
                    client.value.stream.write { $0.append(contentsOf: bulk(1000)) }
                    client.value.stream.finishWriting()
                }
                while try await loop.run({ server.value.endCount == 0 }) {
                    try await loop.run {
                        server.value.stream.readAvailable()
                        #expect(server.value.bytes.isEmpty, "paused")
                    }
                    try await loop.run {
                        server.value.didRead = { recorder, _ in recorder.stream.readAvailable() }
                        server.value.stream.isReadingPaused = false
                        server.value.stream.readAvailable()
                        #expect(kind.takesTime || server.value.bytes.count == 1000)
                        #expect(kind.takesTime || server.value.endCount == 1)
                        if server.value.endCount == 0 {
                            server.value.stream.isReadingPaused = server.value.bytes.isEmpty
                        }
                    }
                }
                try await loop.run { #expect(server.value.bytes.count == 1000) }
            }
        }

        @Test(arguments: StreamKind.allCases, PollerKind.allCases)
        func `the end of the loop closes its streams`(kind: StreamKind, poller: PollerKind) async throws {
            let loop = try EventLoop(name: "ends", poller: poller)
            try loop.start()
            let (server, client) = try await kind.open(on: loop)
            let closed = Counter()
            try await loop.run {
                server.value.didClose = { _ in closed.increment() }
                client.value.didClose = { _ in closed.increment() }
                server.value.stream.start()
            }
            loop.stop()
            await loop.join()
            #expect(closed.value == 2)
        }
    }
}
