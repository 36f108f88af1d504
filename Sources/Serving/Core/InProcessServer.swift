package import Sessions
import Synchronization
package import Transcripts
import Transport

/// A server inside this process that answers the same in every run: clients are connected in memory, on one loop, keys are
/// "key-1", "key-2", … in order, and time is the transcript's.
package struct InProcessServer: Sendable {
    package var name: String
    package var version: String
    package var limits: Limits
    /// What clients must carry, and what stands in for a token that was taken out of a transcript; nil lets everyone in.
    package var token: Token?
    private let register: @Sendable (inout Registry, TranscriptClock) -> Void

    /// - Parameter register: called for each play with the clock that it runs by.
    package init(
        name: String, version: String, limits: Limits = Limits(),
        register: @escaping @Sendable (inout Registry, TranscriptClock) -> Void
    ) {
        self.name = name
        self.version = version
        self.limits = limits
        self.register = register
    }

    /// Plays the client's side of a transcript to a server of its own, and leaves nothing running.
    ///
    /// - Parameter options: `clock` and `token` are this server's. Where a pace is asked for, time is the real one.
    package func replay(_ path: String, _ options: TranscriptRunner.Options) async -> TranscriptOutcome {
        let clock = TranscriptClock()
        let core = core(registryClock: clock, clock: options.player.isPaced ? ContinuousClock() : clock)
        var options = options
        options.clock = options.player.isPaced ? nil : clock
        options.player.token = token?.text
        return await TranscriptRunner.run(
            path, options,
            connect: { loop in
                { _, completion in
                    let (near, far) = MemoryStream.pair(loop: loop)
                    core.serve(far)
                    completion(.success(near))
                }
            },
            afterwards: {
                clock.end()
                await core.drain()
            })
    }

    /// One whose view models and which itself run by these clocks.
    package func core(registryClock: TranscriptClock, clock: any Clock<Duration>) -> ServerCore {
        var registry = Registry()
        register(&registry, registryClock)
        let lastKey = Atomic<Int>(0)
        return ServerCore(
            name: name, version: version, registry: registry, limits: limits, token: token, clock: clock,
            makeKey: { "key-\(lastKey.wrappingAdd(1, ordering: .relaxed).newValue)" })
    }
}
