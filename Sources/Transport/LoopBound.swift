/// Carries a value that isn't `Sendable` through `@Sendable` closures back to its loop.
///
/// The value is reached on the loop only. It may be made and let go anywhere; whoever lets go the last reference to an
/// object off its loop runs its `deinit` there.
// Unchecked, since `Value` isn't Sendable: the one way to the value checks that it is taken on the loop's thread, and
// copying or letting go the reference itself is atomic.
package struct LoopBound<Value>: @unchecked Sendable {
    private let storage: Value
    private let loop: EventLoop

    /// Any thread that has the value to itself, the loop in the first place.
    package init(_ value: Value, loop: EventLoop) {
        storage = value
        self.loop = loop
    }

    /// On the loop only.
    package var value: Value {
        loop.preconditionIsCurrent()
        return storage
    }

    /// Nil off the loop.
    package var valueIfCurrent: Value? {
        loop.isCurrent ? storage : nil
    }
}
