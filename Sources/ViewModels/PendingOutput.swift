/// An `Output` without the type of its events, for whoever only wants to know whether they have arrived.
package protocol PendingOutput: AnyObject, Sendable {
    /// Whether every event that was sent so far has reached every handler.
    var isSettled: Bool { get }

    /// Runs `action` once every event that was sent before this call has reached every handler: at once, unless another
    /// thread is delivering.
    func afterPending(_ action: @escaping @Sendable () -> Void)
}
