import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct WebSocketStreamTests {
        /// A server's stream after the handshake, with a recorder, and the client's bare bytes.
        private struct Pair: Sendable {
            let server: LoopBound<Recorder>
            let client: LoopBound<Recorder>
        }

        private func open(
            _ loop: EventLoop, _ change: @escaping @Sendable (inout WebSocketStream.Settings) -> Void = { _ in }
        ) async throws -> Pair {
            try await loop.run {
                let (near, far) = MemoryStream.pair(loop: loop)
                let client = Recorder(near)
                near.start()
                far.start()
                let stream = WebSocketStream(far)
                change(&stream.settings)
                let server = Recorder(stream)
                stream.start()
                return Pair(server: LoopBound(server, loop: loop), client: LoopBound(client, loop: loop))
            }
        }

        private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
            WebSocketReaderTests.frame(first, payload)
        }

        private func send(_ bytes: [UInt8], from client: LoopBound<Recorder>, on loop: EventLoop) async throws {
            try await loop.run { client.value.stream.write { $0.append(contentsOf: bytes) } }
        }

        @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 200_000])
        func `a message of any length is one frame`(_ length: Int) async throws {
            try await withLoop(.epoll) { loop in
                let pair = try await open(loop)
                let text = String(repeating: "x", count: length)
                try await loop.run {
                    pair.server.value.send("{}"); pair.server.value.send(text)
                }
                let header: [UInt8] =
                    switch length {
                    case ...125: [0x81, UInt8(length)]
                    case ...65_535: [0x81, 126, UInt8(length >> 8), UInt8(length & 0xFF)]
                    default:
                        [
                            0x81, 127, 0, 0, 0, 0, 0, UInt8(length >> 16), UInt8(length >> 8 & 0xFF),
                            UInt8(length & 0xFF),
                        ]
                    }
                let expected = [0x81, 2] + Array("{}".utf8) + header + Array(text.utf8)
                try await pair.client.until("the frames", on: loop) { $0.bytes.count >= expected.count }
                let bytes = try await loop.run { pair.client.value.bytes }
                #expect(bytes == expected)
            }
        }

        @Test func `a ping is answered, a message delivered whole, and a close echoed`() async throws {
            try await withLoop(.epoll) { loop in
                let pair = try await open(loop)
                let bytes = Self.frame(0x01, [0x61]) + Self.frame(0x89, [1, 2]) + Self.frame(0x80, [0x62])
                try await send(bytes, from: pair.client, on: loop)
                try await pair.server.until("the message", on: loop) { $0.text == "ab" && $0.readCount == 1 }
                try await pair.client.until("the pong", on: loop) { $0.bytes == [0x8A, 2, 1, 2] }
                try await send(Self.frame(0x88, [0x0F, 0xA1, 0x78]), from: pair.client, on: loop)
                try await pair.client.until("the close frame and the end", on: loop) {
                    $0.bytes.suffix(4) == [0x88, 2, 0x0F, 0xA1] && $0.endCount == 1
                }
                try await loop.run { pair.client.value.stream.finish() }
                try await pair.server.until("the end", on: loop) { $0.closures == [nil] }
            }
        }

        @Test func `of the pings of a peer that doesn't read only the newest is answered`() async throws {
            try await withLoop(.epoll) { loop in
                let pair = try await open(loop)
                let count = 60_000
                try await loop.run {
                    pair.client.value.stream.isReadingPaused = true
                    pair.client.value.stream.write { bytes in
                        for number in 0..<count {
                            bytes += Self.frame(0x89, [0, UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)])
                        }
                        bytes += Self.frame(0x81, [0x61])
                    }
                }
                try await pair.server.until("the message after them", on: loop) { $0.text == "a" }
                let unsent = try await loop.run { pair.server.value.stream.unsentByteCount }
                #expect(unsent <= StreamLimits.lowWaterBytes + 16)
                try await loop.run { pair.client.value.stream.isReadingPaused = false }
                let last: [UInt8] = [0x8A, 3, 0, UInt8((count - 1) >> 8 & 0xFF), UInt8((count - 1) & 0xFF)]
                try await pair.client.until("the newest's pong", on: loop) { $0.bytes.suffix(5) == last[...] }
                let pongs = try await loop.run { pair.client.value.bytes.count / 5 }
                #expect(pongs < count)
            }
        }

        @Test func `finish closes with a code, waits for the answer, and drops what comes before it`() async throws {
            try await withLoop(.epoll) { loop in
                let pair = try await open(loop) { $0.closeCode = { .goingAway } }
                try await loop.run {
                    pair.server.value.send("last")
                    pair.server.value.stream.finish()
                    pair.server.value.send("too late")
                }
                let expected: [UInt8] = [0x81, 4] + Array("last".utf8) + [0x88, 2, 0x03, 0xE9]
                try await pair.client.until("the close frame", on: loop) { $0.bytes == expected }
                let bytes = Self.frame(0x81, [0x61]) + Self.frame(0x89, []) + Self.frame(0x88, [0x03, 0xE9])
                try await send(bytes, from: pair.client, on: loop)
                try await pair.client.until("the end", on: loop) { $0.endCount == 1 }
                let (sent, received) = try await loop.run { (pair.client.value.bytes, pair.server.value.readCount) }
                #expect(sent == expected && received == 0)
            }
        }

        @Test func `a peer that doesn't answer a close frame has a limited time`() async throws {
            let clock = ManualClock()
            try await withLoop(.epoll, clock: clock) { loop in
                let pair = try await open(loop)
                let time = WebSocketStream.Settings().closeTime
                try await loop.run { pair.server.value.stream.finish() }
                try await loop.advance(clock, by: time - .nanoseconds(1))
                try await loop.turns(2)
                #expect(try await loop.run { !pair.server.value.isClosed })
                try await loop.advance(clock, by: .nanoseconds(1))
                try await pair.server.until("the end", on: loop) { $0.isClosed }
            }
        }

        @Test func `a silent peer is sent pings, and is gone when it doesn't answer one`() async throws {
            let clock = ManualClock()
            try await withLoop(.epoll, clock: clock) { loop in
                let pair = try await open(loop)
                let interval = WebSocketStream.Settings().pingInterval
                try await loop.run {
                    pair.client.value.didRead = { recorder, bytes in
                        // Answers twice, then no more.
                        guard recorder.readCount < 3 else { return }
                        #expect(Array(bytes) == [0x89, 0])
                        recorder.stream.write { $0.append(contentsOf: Self.frame(0x8A, [])) }
                    }
                }
                for count in 1...3 {
                    try await loop.advance(clock, by: interval)
                    try await pair.client.until("ping \(count)", on: loop) { $0.readCount == count }
                    // By then the answer has arrived.
                    try await loop.turns(3)
                    #expect(try await loop.run { !pair.server.value.isClosed })
                }
                try await loop.advance(clock, by: interval)
                try await pair.server.until("the end", on: loop) { $0.isClosed }
                let (pings, error) = try await loop.run {
                    (pair.client.value.bytes.count / 2, pair.server.value.closures[0])
                }
                #expect(pings == 3)
                #expect(error?.reason == "no answer to a ping")
            }
        }

        @Test func `while paused nothing is delivered, and then all in order`() async throws {
            try await withLoop(.epoll) { loop in
                let pair = try await open(loop)
                try await loop.run {
                    pair.server.value.didRead = { recorder, _ in recorder.stream.isReadingPaused = true }
                }
                let letters = Array("abcdefgh".utf8)
                try await send(letters.flatMap { Self.frame(0x81, [$0]) }, from: pair.client, on: loop)
                for count in 1...letters.count {
                    try await pair.server.until("message \(count)", on: loop) { $0.readCount == count }
                    let seen = try await loop.run {
                        defer { pair.server.value.stream.isReadingPaused = false }
                        return pair.server.value.bytes
                    }
                    #expect(seen == Array(letters.prefix(count)))
                }
            }
        }

        @Test(arguments: [(false, 1_003), (true, nil)] as [(Bool, Int?)])
        func `binary messages are taken where they are wanted`(_ isWanted: Bool, _ code: Int?) async throws {
            try await withLoop(.epoll) { loop in
                let pair = try await open(loop) { $0.takesBinary = isWanted }
                try await send(Self.frame(0x82, [7]), from: pair.client, on: loop)
                if let code {
                    try await pair.client.until("the close frame", on: loop) {
                        $0.bytes.count > 4 && $0.bytes[0] == 0x88
                            && $0.bytes[2...3].reduce(0) { $0 << 8 | Int($1) } == code
                    }
                    try await pair.server.until("the end", on: loop) {
                        $0.closures.first??.reason == "messages must be text"
                    }
                } else {
                    try await pair.server.until("the message", on: loop) { $0.bytes == [7] }
                }
            }
        }

        @Test func `a peer that sends a message that is too long gets a notice before the close frame`() async throws {
            try await withLoop(.epoll) { loop in
                let pair = try await open(loop) {
                    $0.messageBytes = 3
                    $0.tooLongNotice = { Array("no: \($0)".utf8) }
                }
                try await send(
                    Self.frame(0x81, [1, 2, 3]) + Self.frame(0x81, [1, 2, 3, 4]), from: pair.client, on: loop)
                try await pair.client.until("the end", on: loop) { $0.endCount == 1 }
                let (bytes, read) = try await loop.run { (pair.client.value.bytes, pair.server.value.bytes) }
                #expect(read == [1, 2, 3])
                #expect(bytes.starts(with: [0x81, 5] + Array("no: 3".utf8) + [0x88]) && bytes[9...10] == [0x03, 0xF1])
            }
        }
    }
}
