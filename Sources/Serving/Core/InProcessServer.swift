package import Sessions
import Synchronization
package import Transcripts
import Transport

/// A server inside this process that gives the same answers in every run.
///
/// Clients are connected in memory, on one loop; keys are "key-1", "key-2", … in order; and the time of the server and
/// of its view models is the transcript's.
package struct InProcessServer {
    package var name: String
    package var version: String
    package var limits: Limits
    /// The tokens of which clients must carry one; nil lets everyone in. A single one also replaces one that was taken out of a
    /// transcript.
    package var tokens: Tokens?
    private let register: (inout Registry) async throws -> Void
    private let shutDown: () async -> Void

    /// - Parameters:
    ///   - register: called for each play, with a registry whose container has the clock of that play. Where it throws,
    ///     nothing is played.
    ///   - shutDown: called after each play whose `register` succeeded.
    package init(
        name: String, version: String, limits: Limits = Limits(),
        register: @escaping (inout Registry) async throws -> Void, shutDown: @escaping () async -> Void = {}
    ) {
        self.name = name
        self.version = version
        self.limits = limits
        self.register = register
        self.shutDown = shutDown
    }

    /// Plays the client's side of a transcript to a new server, and leaves nothing running.
    ///
    /// - Parameter options: this server sets `virtualClock`, and `token` where there is one for everybody. A paced play runs by `clock` instead of the
    ///   transcript's time.
    package func replay(_ path: String, _ options: TranscriptRunner.Options) async -> TranscriptOutcome {
        let clock = VirtualClock()
        let isPaced = options.player.isPaced
        let core: ServerCore
        do {
            core = try await self.core(clock: isPaced ? options.clock : clock)
        } catch {
            return .interrupted("the view models can't be registered: \(error)")
        }
        var options = options
        options.virtualClock = isPaced ? nil : clock
        options.player.token = tokens?.only?.text
        let outcome = await TranscriptRunner.run(
            path, options,
            connect: { loop in
                { _, completion in
                    let (near, far) = MemoryStream.pair(loop: loop)
                    core.serve(far, isPatient: true)
                    completion(.success(near))
                }
            },
            afterwards: {
                clock.end()
                await core.drain()
            })
        await shutDown()
        return outcome
    }

    /// Makes a new server. It and its view models run by this clock.
    ///
    /// - Throws: the error of `register`.
    package func core(clock: any Clock<Duration>) async throws -> ServerCore {
        var registry = Registry(clock: clock)
        try await register(&registry)
        let lastKey = Atomic<Int>(0)
        return ServerCore(
            name: name, version: version, registry: registry, limits: limits, tokens: tokens,
            clock: clock,
            makeKey: { "key-\(lastKey.wrappingAdd(1, ordering: .relaxed).newValue)" })
    }
}
