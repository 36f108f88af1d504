import JSON
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModelClient

/// A server that is there and says nothing, as one that was stopped, or behind a link that lost its other end.
@Suite(.inTurn, .timeLimit(.minutes(2))) struct SilenceTests {
    @Test func `a ping follows five seconds without an answer, whatever else comes, and the end ten of silence`() {
        var watch = SilenceWatch()
        var steps = (1...4).map { _ in watch.didWait() }
        watch.didHear()
        steps += (1...10).map { _ in watch.didWait() }
        let wait = SilenceWatch.Step.wait
        #expect(steps == [wait, wait, wait, wait, .ping, wait, wait, wait, wait, .ping, wait, wait, wait, .giveUp])
    }

    /// Answers all but view events and, once it is stopped, nothing.
    private final class Stoppable: Sendable {
        let isStopped = Atomic<Bool>(false)

        func answers(to line: String) -> [String] {
            if isStopped.load(ordering: .relaxed) { return [] }
            if line.contains(#""initialize""#) { return [ScriptedServer.welcome] }
            guard let id = line.firstMatch(of: /"id":([0-9]+)/)?.1 else { return [] }
            if line.contains("session/open") {
                return [#"{"jsonrpc":"2.0","id":\#(id),"result":{"session":1,"key":"key","viewModel":"a"}}"#]
            }
            if line.contains("session/attach") {
                return [#"{"jsonrpc":"2.0","id":\#(id),"result":{"session":1,"viewModel":"a","seq":0,"handled":0}}"#]
            }
            return line.contains("view/event") ? [] : [#"{"jsonrpc":"2.0","id":\#(id),"result":null}"#]
        }
    }

    /// Seconds pass, one by one, each behind the one before.
    private func pass(_ seconds: Int, _ clock: ManualClock) async {
        for _ in 1...seconds {
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
        }
        await clock.sleepers(1)
    }

    @Test func `within ten seconds a server that says nothing counts as lost, and what has no answer is sent again`()
        async throws
    {
        try await withLoop { loop in
            let (server, clock, news) = (Stoppable(), ManualClock(), Recorder<ClientNews>())
            let script = ScriptedServer { server.answers(to: $0) }
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            let client = try await Client.connect(to: script.target, options, on: loop)
            let view = try await client.open("a") { _ in }
            let sent = Task { try await view.send(JSONText(#"{"kind":"x"}"#)) }
            while !script.received.elements.contains(where: { $0.contains("view/event") }) { await Task.yield() }
            // Its handler takes long, and the server is there.
            await pass(21, clock)
            #expect(script.received.elements.count { $0.contains("ping") } >= 3)
            #expect(!news.elements.contains { if case .state(.waiting) = $0 { true } else { false } })
            // All answers that are on their way have been heard behind this one.
            try await client.ping()
            server.isStopped.store(true, ordering: .relaxed)
            let loss = ClientNews.state(.waiting(reason: "the server doesn't answer", delay: .milliseconds(100)))
            var seconds = 0
            while !news.elements.contains(loss) {
                await pass(1, clock)
                seconds += 1
            }
            // One more may have passed before it was seen.
            #expect(seconds <= 11)
            server.isStopped.store(false, ordering: .relaxed)
            while script.received.elements.count(where: { $0.contains("view/event") }) < 2 {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
            sent.cancel()
            await client.close()
            _ = await sent.result
        }
    }

    /// Answers everything, and reads once a second.
    private final class SlowReader: ByteStreamHandler {
        let stream: MemoryStream
        var isSlow = false
        private var bytes: [UInt8] = []

        init(_ stream: MemoryStream) {
            self.stream = stream
            stream.handler = self
            stream.start()
        }

        func readOn() {
            stream.isReadingPaused = false
        }

        func stream(_ stream: any ByteStream, didRead received: UnsafeRawBufferPointer) {
            stream.isReadingPaused = isSlow
            bytes.append(contentsOf: received)
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: bytes[..<end].prefix(100), as: UTF8.self)
                bytes.removeFirst(end + 1)
                guard let id = line.firstMatch(of: /"id":([0-9]+)/)?.1 else { continue }
                let result = line.contains("view/event") ? #"{"seq":1}"# : "null"
                let opened = #"{"session":1,"key":"key","viewModel":"a"}"#
                let answer = #"{"jsonrpc":"2.0","id":\#(id),"result":\#(line.contains("open") ? opened : result)}"#
                let welcome = line.contains("initialize") ? ScriptedServer.welcome : answer
                stream.write { $0.append(contentsOf: "\(welcome)\n".utf8) }
            }
        }

        func streamDidReachEnd(_ stream: any ByteStream) { stream.finish() }
        func streamDidSend(_ stream: any ByteStream) {}
        func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
    }

    @Test func `a server that takes a long message bit by bit is waited for`() async throws {
        try await withLoop { loop in
            let (clock, news) = (ManualClock(), Recorder<ClientNews>())
            let reader = Locked<LoopBound<SlowReader>?>(nil)
            let target = ClientTarget.streams("slow") { loop in
                let (near, far) = MemoryStream.pair(loop: loop)
                let bound = LoopBound(SlowReader(far), loop: loop)
                reader.with { $0 = bound }
                return near
            }
            var options = ClientOptions()
            (options.clock, options.receive) = (clock, { news.record($0) })
            let client = try await Client.connect(to: target, options, on: loop)
            let view = try await client.open("a") { _ in }
            let slow = try #require(reader.with { $0 })
            loop.execute { slow.value.isSlow = true }
            let text = String(repeating: "x", count: 900_000)
            let sent = Task { try await view.send(JSONText(#"{"kind":"\#(text)"}"#)) }
            for _ in 1...12 {
                await pass(1, clock)
                loop.execute { slow.value.readOn() }
            }
            loop.execute {
                slow.value.isSlow = false
                slow.value.readOn()
            }
            _ = try await sent.value
            #expect(!news.elements.contains { if case .state(.waiting) = $0 { true } else { false } })
            await client.close()
        }
    }
}
