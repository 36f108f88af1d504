import Synchronization

/// A pool of coders that wait for their next use, with their memory and the facts about key types.
///
/// Pooled because setting up a coder takes longer than coding a short event. Any thread may call it. The pool never holds more
/// coders than were in use at once.
final class CoderPool<Coder: PooledCoder>: Sendable {
    // Only the pool refers to a waiting coder, and only one thread to a coder that was taken.
    private struct Waiting: @unchecked Sendable {
        var last: Unmanaged<Coder>?
    }

    /// The address of one waiting coder, or 0. It is exchanged without a lock, as a lock takes longer than most of what coders
    /// do. Nearly always a coder is here.
    private let first = Atomic<UInt>(0)
    private let others = Mutex(Waiting())

    /// Takes a waiting coder out of the pool.
    ///
    /// - Returns: nil if none waits. The caller owns the reference. It is unmanaged, because counting it takes longer than
    ///   lending it.
    @inline(__always)
    func take() -> Unmanaged<Coder>? {
        guard let pointer = UnsafeRawPointer(bitPattern: first.exchange(0, ordering: .acquiring)) else {
            return takeOther()
        }
        return .fromOpaque(pointer)
    }

    /// Puts a coder back into the pool.
    ///
    /// - Parameter coder: the only reference to the coder; the pool takes it over.
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
    /// The next coder in the pool's list, while this one waits there.
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
