package import Transport

extension TranscriptRunner {
    /// Plays a transcript on a loop of its own, which is gone when this returns.
    ///
    /// - Parameters:
    ///   - connect: called on the loop; makes what opens connections there.
    ///   - afterwards: called once it is known how the play ended, while the loop still runs.
    package static func run(
        _ path: String, _ options: Options,
        connect: @escaping @Sendable (EventLoop) -> Connect,
        afterwards: () async -> Void = {}
    ) async -> TranscriptOutcome {
        let loop: EventLoop
        do {
            loop = try EventLoop(name: "replay")
        } catch {
            return .interrupted("\(error)")
        }
        loop.start()
        let outcome = await withCheckedContinuation { continuation in
            loop.execute {
                do throws(TranscriptError) {
                    let reader = try TranscriptReader(path: path)
                    TranscriptRunner(reader, options, on: loop, connect: connect(loop)).begin {
                        continuation.resume(returning: $0)
                    }
                } catch {
                    continuation.resume(returning: .broken(error))
                }
            }
        }
        await afterwards()
        loop.stop()
        await loop.join()
        return outcome
    }
}
