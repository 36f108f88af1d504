/// Carries a value that isn't `Sendable` through `@Sendable` closures back to its loop.
///
/// The value can be read on the loop only. It may be made and released on any thread; an object whose last reference is
/// released off the loop runs its `deinit` there.
// Unchecked, since `Value` isn't Sendable: each way to the value checks that it is taken on the loop's thread, and
// retaining or releasing the reference itself is atomic.
package struct LoopBound<Value>: @unchecked Sendable {
    private let storage: Value
    private let loop: EventLoop

    /// Wraps a value, on any thread that has the value to itself, as a rule the loop's.
    package init(_ value: Value, loop: EventLoop) {
        storage = value
        self.loop = loop
    }

    /// The value. Read on the loop only.
    package var value: Value {
        loop.preconditionIsCurrent()
        return storage
    }

    /// Calls `body` on the loop, even in a job of a watched loop; returns nil off the loop.
    package func ifCurrent<R>(_ body: (Value) -> R) -> R? {
        loop.ifCurrent { body(storage) }
    }
}
