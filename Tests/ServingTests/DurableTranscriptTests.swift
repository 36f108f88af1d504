import Examples
import Sessions
import Synchronization
import TestSupport
import Testing
import Transcripts
import Transport

import Serving

/// Every conversation of `Tests/Transcripts/Durable`: with servers that have a store.
@Suite(.inTurn) struct DurableTranscriptTests {
    /// A conversation, and what happens at one of the commits of its first server.
    private static let conversations: [(name: String, fault: MemoryStore.Fault?, call: Int)] = [
        // The second event is stored, and the process ends before it is told.
        ("crash", .endsAfter, 4),
        ("kept", nil, 0),
        ("left", nil, 0),
        ("passivated", nil, 0),
        ("store-away", .isAway, 3),
    ]

    @Test(arguments: conversations)
    func conversation(_ name: String, _ fault: MemoryStore.Fault?, _ call: Int) async {
        let folder = #filePath.replacing("ServingTests/DurableTranscriptTests.swift", with: "Transcripts/Durable")
        let path = "\(folder)/\(name).jsonl"
        let clock = VirtualClock()
        let servers = Servers(clock)
        if let fault { servers.store.fail(at: call, fault) }
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
                await servers.core?.drain()
            })
        guard case .passed = outcome else {
            Issue.record("\(outcome.report(of: path, width: 200))")
            return
        }
        #expect(servers.count == (fault == .endsAfter ? 2 : 1))
    }
}

/// One server after the other, as each is ended by the store.
private final class Servers: Sendable {
    private struct State {
        var core: ServerCore?
        var count = 0
        var keys = 0
    }

    let store = MemoryStore()
    private let clock: VirtualClock
    private let state = Mutex(State())

    init(_ clock: VirtualClock) { self.clock = clock }

    var core: ServerCore? { state.withLock { $0.core } }
    var count: Int { state.withLock { $0.count } }

    /// On the loop.
    func connect(on loop: EventLoop) -> any ByteStream {
        let (near, far) = MemoryStream.pair(loop: loop)
        let stream = LoopBound(far, loop: loop)
        let core =
            core
            ?? begin { [self] in
                // The process is gone, and its client's connection with it.
                state.withLock { $0.core = nil }
                store.mend()
                loop.execute { stream.value.close() }
            }
        core.serve(far, isPatient: true)
        return near
    }

    private func begin(onEnd: @escaping @Sendable () -> Void) -> ServerCore {
        var registry = Registry(clock: clock)
        Examples.register(in: &registry)
        let core = ServerCore(
            name: "view-model-server", registry: registry, clock: clock,
            makeKey: { [self] in
                state.withLock { state in
                    state.keys += 1
                    return "key-\(state.keys)"
                }
            },
            journal: ImmediateJournal(store, clock: clock, onTakeover: onEnd))
        state.withLock { state in
            state.core = core
            state.count += 1
        }
        return core
    }
}
