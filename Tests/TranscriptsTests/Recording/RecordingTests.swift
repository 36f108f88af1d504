import Glibc
import JSON
import TestSupport
import Testing
import Transcripts
import Transport

@Suite(.inTurn) struct RecordingTests {
    private let folder: TemporaryFolder
    private let path: String
    private let stops = TestSupport.Recorder<TranscriptError>()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("story.jsonl")
    }

    private func recording(
        on loop: EventLoop, clock: any Clock<Duration> = ManualClock(), waitingBytes: Int = 1 << 20
    ) throws -> Recording {
        var options = Recording.Options(header: TranscriptHeader(title: "story"))
        options.waitingBytes = waitingBytes
        return Recording(
            to: try TranscriptFile(path: path), options, on: loop, clock: clock,
            didStop: { [stops] in stops.record($0) })
    }

    @Test func `the times of lines are milliseconds since the first`() async throws {
        try await withLoop { loop in
            let clock = ManualClock()
            let recording = try recording(on: loop, clock: clock)
            clock.advance(by: .seconds(5))
            let first = recording.connect()
            first.pass("{}\n", from: .client)
            clock.advance(by: .milliseconds(1_234))
            let second = recording.connect()
            second.pass("[]\n", from: .server)
            clock.advance(by: .microseconds(1_999))
            first.end(.client)
            first.close()
            #expect(await recording.close(within: .seconds(1)) == nil)
        }
        #expect(
            contents(path) == """
                {"transcript":1,"title":"story"}
                {"from":"client","connection":1,"at":0,"message":{}}
                {"from":"server","connection":2,"at":1234,"message":[]}
                {"from":"client","connection":1,"at":1235,"end":true}

                """)
        #expect(stops.elements == [])
    }

    @Test func `the bytes of any size of conversation are recorded`() async throws {
        let count = 20_000
        try await withLoop { loop in
            let recording = try recording(on: loop, waitingBytes: .max)
            let connection = recording.connect()
            for number in 1...count { connection.pass("{\"id\":\(number),\"result\":null}\n", from: .server) }
            #expect(await recording.close(within: .seconds(1)) == nil)
        }
        let reader = try TranscriptReader(path: path)
        for number in 1...count {
            let entry = try #require(try reader.next())
            guard case .message(let message) = entry.content else { return #expect(Bool(false), "\(entry)") }
            #expect(message.description == "{\"id\":\(number),\"result\":null}")
        }
        #expect(try reader.next() == nil)
    }

    @Test func `waiting bytes are limited, and everything before the limit is recorded`() async throws {
        try await withLoop { loop in
            let recording = try recording(on: loop, waitingBytes: 1_000)
            let gate = Gate()
            loop.execute { gate.block() }
            let connection = recording.connect()
            connection.pass("{\"id\":1}\n{\"id\":", from: .client)
            connection.pass("\"" + String(repeating: "x", count: 1_000) + "\"}\n", from: .client)
            connection.pass("{\"id\":3}\n", from: .client)
            #expect(stops.elements.map(\.path) == [path], "told at once, and once")
            gate.open()
            #expect(await recording.close(within: .seconds(1)) == stops.elements[0])
        }
        #expect(
            contents(path) == """
                {"transcript":1,"title":"story"}
                {"from":"client","connection":1,"at":0,"message":{"id":1}}

                """)
        #expect(stops.elements.count == 1)
    }

    @Test func `a slow disk delays nobody, and loses nothing`() async throws {
        try await withLoop { loop in
            let recording = try recording(on: loop, waitingBytes: 1_000)
            let connection = recording.connect()
            for _ in 1...100 {
                connection.pass("{\"text\":\"0123456789\"}\n", from: .client)
                // Written in between, nothing adds up.
                try await loop.run {}
            }
            #expect(await recording.close(within: .seconds(1)) == nil)
        }
        #expect(contents(path)?.split(separator: "\n").count == 101)
    }

    @Test func `a disk that fails is reported once`() async throws {
        try await withLoop { loop in
            let recording = Recording(
                to: try TranscriptFile(path: "/dev/full"), Recording.Options(header: TranscriptHeader(title: "story")),
                on: loop, didStop: { [stops] in stops.record($0) })
            let connection = recording.connect()
            connection.pass("{\"id\":1,\"result\":1}\n", from: .server)
            #expect(await stops.elements(count: 1).map(\.reason) == ["No space left on device"])
            connection.pass("{\"id\":2,\"result\":1}\n", from: .server)
            #expect(await recording.close(within: .seconds(1))?.reason == "No space left on device")
        }
        #expect(stops.elements.count == 1)
    }

    @Test func `a FIFO that is read only at the end gets everything`() async throws {
        try #require(mkfifo(path, 0o600) == 0)
        let texts = TestSupport.Recorder<String>()
        try await withLoop { loop in
            let recording = try recording(on: loop)
            let connection = recording.connect()
            for number in 1...1_000 { connection.pass("{\"id\":\(number)}\n", from: .client) }
            let path = path
            async let reading: Void = onThread { texts.record(contents(path) ?? "") }
            #expect(await recording.close(within: .seconds(1)) == nil)
            await reading
        }
        #expect(texts.elements[0].split(separator: "\n").count == 1_001)
        #expect(stops.elements == [])
    }

    @Test func `closing waits for a disk that takes nothing as long as the grace`() async throws {
        try await withLoop { loop in
            let clock = ManualClock()
            let recording = try recording(on: loop, clock: clock)
            let gate = Gate()
            loop.execute { gate.block() }
            recording.connect().pass("{}\n", from: .client)
            async let failure = recording.close(within: .seconds(10))
            // Nothing has moved since the first look.
            await clock.sleepers(1)
            clock.advance(by: .seconds(10))
            #expect(await failure?.reason.hasPrefix("the end is missing: ") == true)
            gate.open()
        }
        #expect(stops.elements.count == 1)
    }
}

extension RecordedConnection {
    func pass(_ text: String, from side: TranscriptSide) {
        Array(text.utf8).withUnsafeBytes { pass($0, from: side) }
    }
}
