import Examples
import FoundationEssentials
import Sessions
import Synchronization
import TestSupport
import Testing
import Transcripts
import Transport

import Serving

/// Every conversation of `Tests/Transcripts` by a server that has none of the sessions: another one has them, and the
/// client can't tell.
@Suite(.inTurn) struct RelayedTranscriptTests {
    private static let folder = #filePath.replacing(
        "ServingTests/Relaying/RelayedTranscriptTests.swift", with: "Transcripts")

    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        // The numbers of views whose openings fail are known to the server alone that makes the sessions.
        .filter { $0.hasSuffix(".jsonl") && $0 != "arguments.jsonl" }.sorted()

    @Test(arguments: names)
    func conversation(_ name: String) async {
        let path = "\(Self.folder)/\(name)"
        let clock = VirtualClock()
        let servers = Servers(clock)
        var options = TranscriptRunner.Options(side: .client)
        options.virtualClock = clock
        options.timeout = .seconds(240)
        let outcome = await TranscriptRunner.run(
            path, options,
            connect: { loop in
                { _, completion in completion(.success(servers.connect(on: loop))) }
            },
            afterwards: {
                clock.end()
                await servers.drain()
            })
        guard case .passed = outcome else {
            Issue.record("\(outcome.report(of: path, width: 200))")
            return
        }
        #expect(servers.relayed > 0 || Self.withoutSessions.contains(name))
    }

    /// They are over before a session is opened.
    private static let withoutSessions: Set = [
        "describing.jsonl", "no-framing.jsonl", "initialize.jsonl", "shutdown.jsonl",
    ]
}

/// Two servers, of which one has all sessions, and the other the client.
private final class Servers: Sendable {
    private struct State {
        var near: ServerCore?
        var far: ServerCore?
        var relayed = 0
        var keys = 0
    }

    /// A link measures real time, which passes also where a busy machine runs neither end of it. Both always live here.
    private static let settings = {
        var settings = Link.Settings()
        settings.helloTime = .seconds(3600)
        settings.silenceLimit = .seconds(3600)
        return settings
    }()
    private static let holder = SceneHolder(server: "far", address: "far", description: "the far server")
    private let clock: VirtualClock
    private let state = Mutex(State())

    init(_ clock: VirtualClock) { self.clock = clock }

    /// Channels between the two.
    var relayed: Int { state.withLock { $0.relayed } }

    /// On the loop.
    func connect(on loop: EventLoop) -> any ByteStream {
        let (near, far) = MemoryStream.pair(loop: loop)
        begin(on: loop).serve(far, isPatient: true)
        return near
    }

    func drain() async {
        let (near, far) = state.withLock { ($0.near, $0.far) }
        await near?.drain()
        await far?.drain()
    }

    private func begin(on loop: EventLoop) -> ServerCore {
        if let near = state.withLock({ $0.near }) { return near }
        let token = Array("token".utf8)
        let farLinks = ServerLinks(token: token, loops: [loop], settings: Self.settings) { _, then in then(nil) }
        let far = core(farLinks)
        let (here, there) = MemoryStream.pair(loop: loop)
        let link = Link(connecting: here, token: token, settings: Self.settings)
        farLinks.accept(there, far)
        let near = core(
            ServerLinks(token: token, loops: [loop], opener: Self.holder) { [self] _, then in
                state.withLock { $0.relayed += 1 }
                then(link)
            })
        state.withLock { ($0.near, $0.far) = (near, far) }
        return near
    }

    private func core(_ links: ServerLinks) -> ServerCore {
        var registry = Registry(clock: clock)
        Examples.register(in: &registry)
        return ServerCore(
            name: "view-model-server", registry: registry, links: links, clock: clock,
            makeKey: { [self] in
                state.withLock { state in
                    state.keys += 1
                    return "key-\(state.keys)"
                }
            })
    }
}
