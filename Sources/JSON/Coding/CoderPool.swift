import Synchronization

/// Coders that wait for their next use, with their memory and the facts about key types.
///
/// Kept because to set up a coder takes longer than a short event. May be called from any thread. As many wait at most
/// as were in use at once.
final class CoderPool<Coder: PooledCoder>: Sendable {
    // A coder that waits is known to nobody else, and one that was taken to one thread only.
    private struct Waiting: @unchecked Sendable {
        var last: Unmanaged<Coder>?
    }

    /// The bits of a reference to one that waits apart from the others, or 0. It is taken without a lock, which takes longer than
    /// most of what coders do; and nearly always it is there.
    private let first = Atomic<UInt>(0)
    private let others = Mutex(Waiting())

    /// - Returns: one with a reference that is the caller's, or nil where none waits. Not counted, as that takes longer than to lend
    ///   it.
    @inline(__always)
    func take() -> Unmanaged<Coder>? {
        guard let pointer = UnsafeRawPointer(bitPattern: first.exchange(0, ordering: .acquiring)) else {
            return takeOther()
        }
        return .fromOpaque(pointer)
    }

    /// - Parameter coder: with the caller's reference, which is the only one.
    @inline(__always)
    func put(_ coder: Unmanaged<Coder>) {
        let (isFirst, _) = first.compareExchange(
            expected: 0, desired: UInt(bitPattern: coder.toOpaque()), ordering: .releasing)
        if !isFirst { putOther(Waiting(last: coder)) }
    }

    @inline(never)
    private func takeOther() -> Unmanaged<Coder>? {
        others.withLock { others in
            guard let coder = others.last?.takeUnretainedValue() else { return Waiting() }
            defer { others.last = coder.nextInPool }
            return others
        }.last
    }

    @inline(never)
    private func putOther(_ waiting: Waiting) {
        others.withLock { others in
            waiting.last?.takeUnretainedValue().nextInPool = others.last
            others = waiting
        }
    }
}

protocol PooledCoder: AnyObject {
    /// While it waits behind others: the next one that does.
    var nextInPool: Unmanaged<Self>? { get set }
}

extension Unmanaged {
    /// Whether this reference, which was counted once, is the only one.
    @inline(__always)
    var isOnlyReference: Bool {
        // An `Unmanaged` is its reference, which isn't counted.
        var reference = self
        return withUnsafeMutablePointer(to: &reference) { reference in
            reference.withMemoryRebound(to: Instance.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }
}
