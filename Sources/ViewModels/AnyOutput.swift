/// An `Output` without the type of its events.
package protocol AnyOutput: AnyObject, Sendable {
    /// Takes off the handler that `add(_:)` gave this number.
    func removeHandler(_ number: Int)

    /// Whether every event that was sent so far has reached every handler.
    var isSettled: Bool { get }

    /// Runs `action` once every event that was sent before this call has reached every handler: at once, unless another
    /// thread is delivering.
    func afterPending(_ action: @escaping @Sendable () -> Void)
}
