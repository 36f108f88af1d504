extension AnyViewModel {
    /// How often a snapshot is asked for that is out of date each time: enough for one that others disturb now and then.
    package static var snapshotAttempts: Int { 1_000 }

    /// Makes a snapshot and has `place` called with it in its turn among the events: it stands for those which every handler
    /// has had by then, and all others come after it.
    ///
    /// - Parameter place: called once, on whatever thread delivers, unless this throws. It must not block.
    /// - Throws: what `snapshot()` throws, or `OutdatedSnapshot`.
    package func placeSnapshot(_ place: @escaping @Sendable ([ViewModelEvent]) -> Void) async throws {
        try await placeSnapshot(place, in: base as? any Actor)
    }

    /// In the actor's own isolation: where `snapshot()` doesn't await, nothing that the actor sends comes between.
    private func placeSnapshot(
        _ place: @escaping @Sendable ([ViewModelEvent]) -> Void, in isolation: isolated (any Actor)?
    ) async throws {
        for _ in 0..<Self.snapshotAttempts {
            try Task.checkCancellation()
            let sentBefore = output.sentCount
            let events = try await base.snapshot()
            if output.afterPending(ifSent: sentBefore, { place(events) }) { return }
        }
        throw OutdatedSnapshot(attempts: Self.snapshotAttempts)
    }
}

/// A view model sent something each time before its snapshot was made.
package struct OutdatedSnapshot: Error, CustomStringConvertible {
    let attempts: Int

    package var description: String { "it sent events during each of \(attempts) snapshots" }
}
