import LibC
package import Serving
package import Sessions
package import Transport

/// The threads of one server.
package struct ServerLoops: Sendable {
    /// The loops of clients, which handlers begin on.
    package let clients: [EventLoop]
    /// The loop of new clients, of waits, and of whatever a handler that blocks its loop mustn't delay.
    package let control: EventLoop
    /// The threads of handlers behind their first suspension.
    package let pool: WorkerPool

    /// One for each processor.
    package static var countForMany: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Makes loops that aren't started.
    ///
    /// - Parameter count: the number of loops of clients, 1 at least.
    package init(count: Int, limits: Limits, log: ServerLog) throws(SystemError) {
        let watch = HoldWatch(maximumHold: limits.handlerTime, probe: PoolProbe { log.warning($0) })
        var clients: [EventLoop] = []
        for number in 1...max(1, count) { clients.append(try EventLoop(name: "loop \(number)", watch: watch)) }
        self.clients = clients
        control = try EventLoop(name: "control")
        pool = WorkerPool(groupThreads: limits.handlerThreads, watch: watch)
    }

    package func start() throws(SystemError) {
        for loop in clients + [control] { try loop.start() }
    }

    package func stop() {
        for loop in clients + [control] { loop.stop() }
    }
}
