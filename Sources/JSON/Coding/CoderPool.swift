import Synchronization

/// Keeps coders for the next encoding or decoding, with their memory and the facts about key types.
///
/// Kept because to set up a coder takes longer than a short event. May be called from any thread and never waits:
/// `take` returns nil where no coder is at hand, and `put` drops one for which there is no room.
final class CoderPool<Coder: AnyObject>: Sendable {
    /// A thread each, as a rule; more threads than that share.
    private static var spots: Int { 16 }
    /// Beginning with the thread's own.
    private static var triedSpots: Int { 4 }

    // An object is in one spot or in one thread's hands, never both: it enters and leaves by an atomic exchange that
    // orders what was done to it before.
    nonisolated(unsafe) private let spots: UnsafeMutablePointer<Atomic<Unmanaged<Coder>?>>

    init() {
        spots = .allocate(capacity: Self.spots)
        for spot in 0..<Self.spots { (spots + spot).initialize(to: Atomic(nil)) }
    }

    deinit {
        for spot in 0..<Self.spots { spots[spot].exchange(nil, ordering: .acquiring)?.release() }
        spots.deinitialize(count: Self.spots)
        spots.deallocate()
    }

    func take() -> Coder? {
        let first = Self.spotOfThread
        for step in 0..<Self.triedSpots {
            let spot = (first &+ step) % Self.spots
            if let coder = spots[spot].exchange(nil, ordering: .acquiring) { return coder.takeRetainedValue() }
        }
        return nil
    }

    /// - Parameter coder: nobody else has it.
    func put(_ coder: Coder) {
        let first = Self.spotOfThread
        let coder = Unmanaged.passRetained(coder)
        for step in 0..<Self.triedSpots {
            let spot = (first &+ step) % Self.spots
            if spots[spot].compareExchange(expected: nil, desired: coder, ordering: .releasing).exchanged { return }
        }
        coder.release()
    }

    /// A hash of the address of the thread's stack. Stacks of two threads are a megabyte or more apart.
    private static var spotOfThread: Int {
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { stack in
            Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: stack.baseAddress)) >> 20 &* 0x9E37_79B9_7F4A_7C15) >> 60)
        }
    }
}
