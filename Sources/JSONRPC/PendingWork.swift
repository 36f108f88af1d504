/// What a request that was taken and isn't answered yet waits for.
package protocol PendingWork {
    /// Gives the work up. The request is answered all the same, by whoever does the work.
    func cancel()
    /// Whether it goes on when the connection that asked for it is lost.
    var outlivesConnection: Bool { get }
}
