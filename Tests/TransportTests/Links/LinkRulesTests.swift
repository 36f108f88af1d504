import LibC
import TestSupport
import Testing
import Transport

extension TransportTests {
    /// One end of a link, and bare frames at the other.
    @Suite struct LinkRulesTests {
        private static let token: [UInt8] = [7, 7, 7]
        private static let hello = LinkFrame.hello(version: LinkFrame.version, token: token)

        /// A link in a test. What it ended with is known once it has.
        private final class Bare: Sendable {
            let loop: EventLoop
            let link: Link
            let peer: LoopBound<Recorder>
            let channels: LoopBound<Channels>

            init(_ loop: EventLoop, _ link: Link, _ peer: Recorder, _ channels: Channels) {
                self.loop = loop
                self.link = link
                self.peer = LoopBound(peer, loop: loop)
                self.channels = LoopBound(channels, loop: loop)
            }

            func send(_ frames: [LinkFrame]) async throws {
                try await loop.run { [peer] in
                    peer.value.stream.write { output in
                        for frame in frames { frame.encode(into: &output) }
                    }
                }
            }

            func frames() async throws -> [LinkFrame] {
                // For what is on its way.
                try await loop.turns(10)
                return try await loop.run { [peer] in try peer.value.frames() }
            }

            func ending() async throws -> String {
                try await peer.until("the end", on: loop) { $0.endCount == 1 }
                try await loop.turns(5)
                return try await loop.run { [channels] in
                    try #require(channels.value.closures.count == 1)
                    return channels.value.closures[0]?.description ?? "no error"
                }
            }
        }

        /// The channels that a far end has accepted, and its last call.
        private final class Channels {
            var recorders: [Recorder] = []
            var closures: [SystemError?] = []
        }

        /// A far end, which refuses what is opened with "no". Its time passes only with the clock's.
        private func withFar(clock: ManualClock = ManualClock(), _ body: (Bare) async throws -> Void) async throws {
            try await withLoop(.epoll, clock: clock) { loop in
                try await body(
                    loop.run {
                        let channels = Channels()
                        let (near, far) = MemoryStream.pair(loop: loop, capacity: 1 << 20)
                        let link = Link(accepting: far, token: Self.token) {
                            channels.closures.append($0)
                        } accept: { payload, makeStream in
                            guard payload != Array("no".utf8) else { return }
                            let recorder = Recorder(makeStream(loop, "channel"))
                            recorder.stream.start()
                            channels.recorders.append(recorder)
                        }
                        let peer = Recorder(near)
                        near.start()
                        return Bare(loop, link, peer, channels)
                    })
            }
        }

        /// A near end. Its time passes only with the clock's.
        private func withNear(clock: ManualClock = ManualClock(), _ body: (Bare) async throws -> Void) async throws {
            try await withLoop(.epoll, clock: clock) { loop in
                try await body(
                    loop.run {
                        let channels = Channels()
                        let (near, far) = MemoryStream.pair(loop: loop)
                        let link = Link(connecting: near, token: Self.token, didClose: { channels.closures.append($0) })
                        let peer = Recorder(far)
                        far.start()
                        return Bare(loop, link, peer, channels)
                    })
            }
        }

        @Test(
            arguments: [
                (.hello(version: 1, token: [7, 7, 8]), "token is wrong"),
                (.hello(version: 1, token: []), "token is wrong"),
                (.hello(version: 1, token: [7, 7, 7, 7]), "token is wrong"),
                (.hello(version: 2, token: [7, 7, 7]), "version 2"), (.open(channel: 1, payload: []), "no greeting"),
                (.ping, "no greeting"), (.welcome, "no greeting"),
            ] as [(LinkFrame, String)])
        func `who doesn't show the token is told nothing`(first: LinkFrame, words: String) async throws {
            try await withFar { far in
                try await far.send([first, .open(channel: 1, payload: []), .ping])
                #expect(try await far.ending().contains(words))
                #expect(try await far.frames() == [])
                try await far.loop.run { #expect(far.channels.value.recorders.isEmpty) }
            }
        }

        @Test func `who announces a long greeting is left before it can send it`() async throws {
            try await withFar { far in
                // The length of the longest frame, and nothing of it.
                try await far.loop.run { far.peer.value.stream.write { $0.append(contentsOf: [0, 1, 0, 5]) } }
                #expect(try await far.ending().contains("256 is the most"))
            }
        }

        @Test func `who says nothing in time is left`() async throws {
            let clock = ManualClock()
            try await withFar(clock: clock) { far in
                // A part of a greeting isn't one.
                try await far.loop.run { far.peer.value.stream.write { $0.append(contentsOf: [0, 0]) } }
                try await far.loop.advance(clock, by: .milliseconds(2_999))
                #expect(try await far.loop.run { !far.peer.value.isClosed })
                try await far.loop.advance(clock, by: .milliseconds(1))
                #expect(try await far.ending().contains("greet in time"))
            }
        }

        @Test func `a near end whose token is refused says so`() async throws {
            try await withNear { near in
                #expect(try await near.frames() == [Self.hello])
                let channel = try await near.loop.run {
                    let stream = near.link.openChannel(payload: [1], on: near.loop, peer: "channel")
                    return LoopBound(Recorder(stream), loop: near.loop)
                }
                #expect(try await near.frames() == [Self.hello, .open(channel: 1, payload: [1])])
                try await near.loop.run { near.peer.value.stream.finish() }
                try await channel.until("the close", on: near.loop) { $0.isClosed }
                try await near.loop.run {
                    #expect(channel.value.closures[0]?.description.contains("tokens differ") == true)
                    #expect(near.channels.value.closures.map { $0?.code } == [EACCES])
                }
            }
        }

        private static let full = [LinkFrame](
            repeating: .data(channel: 1, isLast: false, bytes: bulk(65_535)), count: 4)

        @Test(
            arguments: [
                ([.open(channel: 2, payload: []), .open(channel: 2, payload: [])], "channel 2 is opened again"),
                ([.open(channel: 2, payload: []), .open(channel: 1, payload: [])], "channel 1 is opened again"),
                ([.data(channel: 1, isLast: true, bytes: [1])], "no channel 1"), ([.end(channel: 9)], "no channel 9"),
                ([.credit(channel: 1, 1)], "no channel 1"), ([.close(channel: 1, .normal)], "no channel 1"),
                ([.open(channel: 1, payload: []), .credit(channel: 1, 1)], "credit for more"),
                ([.open(channel: 1, payload: []), .credit(channel: 1, .max)], "credit for more"),
                ([.open(channel: 1, payload: []), .end(channel: 1), .end(channel: 1)], "ends twice"),
                (
                    [.open(channel: 1, payload: []), .end(channel: 1), .data(channel: 1, isLast: true, bytes: [])],
                    "after its end"
                ),
                ([.open(channel: 1, payload: [])] + full + [.data(channel: 1, isLast: true, bytes: [])], "credit for"),
                ([hello], "greeted twice"), ([.welcome], "greeted twice"),
            ] as [([LinkFrame], String)])
        func `who breaks the rules is left`(frames: [LinkFrame], words: String) async throws {
            try await withFar { far in
                // In one read with the greeting, so that no credit can be given meanwhile.
                try await far.send([Self.hello] + frames)
                let ending = try await far.ending()
                #expect(ending.contains(words), "\(ending)")
                let recorders = try await far.loop.run { far.channels.value.recorders.map(\.closures) }
                for closures in recorders { #expect(closures.map { $0?.code } == [EPROTO]) }
            }
        }

        @Test func `a far end that opens a channel is left`() async throws {
            try await withNear { near in
                try await near.send([.welcome, .open(channel: 1, payload: [])])
                #expect(try await near.ending().contains("opens no channels"))
            }
        }

        @Test func `a message is shown though the rules are broken behind it`() async throws {
            try await withFar { far in
                try await far.send([
                    Self.hello, .open(channel: 1, payload: []), .data(channel: 1, isLast: true, bytes: [5]), .welcome,
                ])
                _ = try await far.ending()
                try await far.loop.run { #expect(far.channels.value.recorders[0].messages == [[5]]) }
            }
        }

        @Test func `a channel that is refused is closed, and what was on its way is dropped`() async throws {
            try await withFar { far in
                try await far.send([Self.hello, .open(channel: 5, payload: Array("no".utf8))])
                #expect(try await far.frames() == [.welcome, .close(channel: 5, .refused)])
                try await far.send([
                    .data(channel: 5, isLast: true, bytes: [1]), .credit(channel: 5, 100), .end(channel: 5),
                    .close(channel: 5, .normal), .open(channel: 6, payload: []),
                    .data(channel: 6, isLast: true, bytes: [2]), .ping,
                ])
                #expect(try await far.frames() == [.welcome, .close(channel: 5, .refused), .pong])
                try await far.loop.run { #expect(far.channels.value.recorders.map(\.messages) == [[[2]]]) }
            }
        }

        @Test func `a near end's stream says that it was refused`() async throws {
            try await withNear { near in
                let channel = try await near.loop.run {
                    let stream = near.link.openChannel(payload: [1], on: near.loop, peer: "channel")
                    return LoopBound(Recorder(stream), loop: near.loop)
                }
                try await near.send([.welcome, .close(channel: 1, .refused)])
                try await channel.until("the close", on: near.loop) { $0.isClosed }
                try await near.loop.run { #expect(channel.value.closures[0]?.code == ECONNREFUSED) }
                let long = try await near.loop.run {
                    let stream = near.link.openChannel(payload: bulk(65_537), on: near.loop, peer: "channel")
                    return LoopBound(Recorder(stream), loop: near.loop)
                }
                try await long.until("the close", on: near.loop) { $0.isClosed }
                try await near.loop.run { #expect(long.value.closures[0]?.code == EMSGSIZE) }
            }
        }

        @Test func `credit is given in steps of a quarter of the window, and for a long message's parts at once`()
            async throws
        {
            try await withFar { far in
                try await far.send([Self.hello, .open(channel: 1, payload: [])] + Self.full)
                let cost: UInt32 = 65_536
                // All in one turn, and so in one frame.
                #expect(try await far.frames() == [.welcome, .credit(channel: 1, 4 * cost)])
                try await far.loop.run { far.channels.value.recorders[0].stream.isReadingPaused = true }
                try await far.send(Self.full)
                let before = try await far.frames().count
                #expect(try await far.frames().count == before, "paused")
                try await far.loop.run { far.channels.value.recorders[0].stream.isReadingPaused = false }
                let credits = try await far.frames().dropFirst().map { frame -> UInt32 in
                    guard case .credit(1, let amount) = frame else { return 0 }
                    return amount
                }
                #expect(credits.reduce(0, +) == 8 * cost)
            }
        }

        @Test func `a silent link is pinged, then lost`() async throws {
            let clock = ManualClock()
            try await withFar(clock: clock) { far in
                try await far.send([Self.hello, .open(channel: 1, payload: [])])
                #expect(try await far.frames() == [.welcome])
                try await far.loop.advance(clock, by: .seconds(1))
                #expect(try await far.frames() == [.welcome, .ping])
                try await far.loop.advance(clock, by: .seconds(1))
                try await far.send([.pong])
                #expect(try await far.frames() == [.welcome, .ping, .ping])
                for _ in 0..<2 { try await far.loop.advance(clock, by: .seconds(1)) }
                try await far.loop.advance(clock, by: .milliseconds(999))
                #expect(try await far.frames() == [.welcome, .ping, .ping, .ping, .ping])
                try await far.loop.advance(clock, by: .milliseconds(1))
                #expect(try await far.ending().contains("nothing came"))
                try await far.loop.run {
                    #expect(far.channels.value.recorders[0].closures.map { $0?.code } == [ETIMEDOUT])
                }
            }
        }

        @Test func `two ends that have nothing to say keep their link`() async throws {
            let clock = ManualClock()
            try await withLoop(.epoll, clock: clock) { loop in
                let closures = Counter()
                let link = try await loop.run {
                    let (near, far) = MemoryStream.pair(loop: loop)
                    _ = Link(accepting: far, token: [1], didClose: { _ in closures.increment() }) { _, _ in }
                    return Link(connecting: near, token: [1], didClose: { _ in closures.increment() })
                }
                for _ in 0..<100 {
                    try await loop.turns(5)
                    try await loop.advance(clock, by: .milliseconds(500))
                }
                #expect(closures.value == 0)
                link.close()
                try await loop.turns(10)
                #expect(closures.value == 2)
            }
        }

        @Test func `channels that nobody reads don't keep a link from being closed`() async throws {
            let clock = ManualClock()
            try await withFar(clock: clock) { far in
                try await far.send([Self.hello, .open(channel: 1, payload: [])])
                _ = try await far.frames()
                try await far.loop.run {
                    far.channels.value.recorders[0].stream.write { $0.append(contentsOf: bulk(300_000)) }
                }
                far.link.close()
                try await far.send([.open(channel: 2, payload: [])])
                let frames = try await far.frames()
                #expect(frames.last == .close(channel: 2, .goingAway))
                try await far.loop.advance(clock, by: .seconds(2))
                #expect(try await far.frames().last == .close(channel: 1, .goingAway))
                try await far.loop.run {
                    #expect(far.channels.value.recorders[0].closures.map { $0?.code } == [ECANCELED])
                    #expect(far.peer.value.endCount == 1)
                    far.peer.value.stream.close()
                }
            }
        }

        @Test(arguments: 0..<30)
        func `any frames in any order end the link at worst`(seed: Int) async throws {
            var random = SeededGenerator(seed: seed)
            var bytes: [UInt8] = []
            Self.hello.encode(into: &bytes)
            var opened: UInt32 = 1
            for _ in 0..<200 {
                let channel = UInt32.random(in: 1...opened, using: &random)
                opened += 1
                let frames: [LinkFrame] = [
                    .open(channel: opened, payload: random.chance(20) ? Array("no".utf8) : []),
                    .data(
                        channel: channel, isLast: random.chance(50),
                        bytes: bulk(.random(in: 0...3_000, using: &random))),
                    .credit(channel: channel, random.chance(90) ? 0 : 1), .end(channel: channel),
                    .close(channel: channel, .normal), .ping, .pong,
                ]
                frames.randomElement(using: &random)?.encode(into: &bytes)
                if random.chance(1) { bytes[Int.random(in: 12..<bytes.count, using: &random)] &+= 1 }
            }
            let sent = bytes
            try await withFar { far in
                try await far.loop.run { far.peer.value.stream.write { $0.append(contentsOf: sent) } }
                _ = try await far.frames()
                far.link.close()
                try await far.loop.run { far.peer.value.stream.finish() }
                try await far.peer.until("the close", on: far.loop) { $0.isClosed }
                try await far.loop.turns(10)
                try await far.loop.run {
                    #expect(far.channels.value.closures.count == 1)
                    // One whose peer has closed it is told that, and closes when this side ends.
                    for recorder in far.channels.value.recorders {
                        #expect(recorder.closures.count == 1 || recorder.endCount == 1)
                    }
                }
            }
        }
    }
}

extension Recorder {
    /// What came, of a link.
    fileprivate func frames() throws -> [LinkFrame] {
        var reader = LinkFrameReader()
        var frames: [LinkFrame] = []
        try bytes.withUnsafeBytes { bytes in
            try reader.read(bytes) { (frame) throws(LinkError) in frames.append(frame) }
        }
        return frames
    }
}
