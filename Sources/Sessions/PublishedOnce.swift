import Synchronization

/// An object that is set once and then read without a lock, by any thread.
///
/// As `AtomicLazyReference`, whose calls aren't inlined and ask the runtime for types, which takes as long as the lock.
struct PublishedOnce<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The bits of its reference; 0 before.
    private let bits = Atomic<UInt>(0)

    deinit {
        reference?.release()
    }

    /// Nil before `publish`.
    @inline(__always)
    var object: Object? {
        // It is kept until this is gone.
        reference?.takeUnretainedValue()
    }

    @inline(__always)
    private var reference: Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: bits.load(ordering: .acquiring)).map { Unmanaged.fromOpaque($0) }
    }

    /// Does nothing where there is one.
    func publish(_ object: Object) {
        let new = Unmanaged.passRetained(object)
        let (isSet, _) = bits.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
        if !isSet { new.release() }
    }
}
