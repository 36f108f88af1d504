/// What the answer to a request waits for: a piece of work, which can be given up.
package struct PendingWork {
    /// Does the work.
    private let worker: any Worker
    /// What the worker calls it.
    private let number: Int
    /// Whether it goes on when the connection that asked for it is lost.
    package let outlivesConnection: Bool

    package init(_ worker: any Worker, _ number: Int, outlivesConnection: Bool) {
        self.worker = worker
        self.number = number
        self.outlivesConnection = outlivesConnection
    }

    /// Gives the work up. The request is answered all the same, when the worker says so.
    package func cancel() {
        worker.cancel(number)
    }

    /// Does the work that requests wait for. An object, so that taking note of it costs no more than a reference.
    package protocol Worker: AnyObject {
        /// Gives up a piece of work, by the number that the worker gave it; it may be done already.
        func cancel(_ number: Int)
    }
}
