import Synchronization

/// An object that is set once and then read without a lock, by any thread.
///
/// `AtomicLazyReference` does the same, but its calls aren't inlined and ask the runtime for types, which takes as long as a
/// lock.
struct PublishedOnce<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The bits of the object's retained reference; 0 before `publish`.
    private let bits = Atomic<UInt>(0)

    deinit {
        reference?.release()
    }

    /// The object; nil before `publish`.
    @inline(__always)
    var object: Object? {
        // The object is kept until this value is gone.
        reference?.takeUnretainedValue()
    }

    @inline(__always)
    private var reference: Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: bits.load(ordering: .acquiring)).map { Unmanaged.fromOpaque($0) }
    }

    /// Sets the object, unless one is set. Any thread.
    func publish(_ object: Object) {
        let new = Unmanaged.passRetained(object)
        let (isSet, _) = bits.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
        if !isSet { new.release() }
    }
}
