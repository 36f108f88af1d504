package import Serving
import Sessions
import Synchronization
package import Transport

/// A server between its start and its end: it listens, serves whoever comes, drains, and releases what it has.
///
/// It belongs to whoever starts it. It takes no signal and no argument, and ends no process. Any thread may call it.
package final class RunningServer: Sendable {
    /// What a TCP port serves besides the protocol.
    package struct Web: Sendable {
        /// The files of the web page; nil: none.
        package var page: [WebFile]?
        /// Origins, as browsers write them, whose pages may connect by WebSocket.
        package var allowedOrigins: [String]
        /// Whether `/metrics` needs no token.
        package var opensMetrics: Bool
        /// Reads the state of the build; nil where nobody builds the server while it runs.
        package var buildState: (@Sendable () -> [UInt8]?)?

        package init(
            page: [WebFile]? = nil, allowedOrigins: [String] = [], opensMetrics: Bool = false,
            buildState: (@Sendable () -> [UInt8]?)? = nil
        ) {
            self.page = page
            self.allowedOrigins = allowedOrigins
            self.opensMetrics = opensMetrics
            self.buildState = buildState
        }
    }

    /// A socket that other machines reach, while the server lets everybody in.
    package struct OpenToAll: Error, CustomStringConvertible {
        package let address: String

        package var description: String { "\(address) can be reached from other machines" }

        package init(address: String) {
            self.address = address
        }
    }

    package let core: ServerCore
    private let log: ServerLog
    private let loops: ServerLoops
    private let store: OpenStore?
    /// Called for each listener on TCP, on the control loop.
    private let web: @Sendable () throws -> Web
    private let listeners = Mutex<[LoopBound<Listener>]>([])
    private let doors = Mutex<[FrontDoor]>([])

    /// - Parameters:
    ///   - core: has the store's journal, and is served on these loops.
    ///   - store: is closed at the end.
    ///   - web: called for each listener on TCP, on the control loop: until then no file of the page is read.
    package init(
        _ core: ServerCore, on loops: ServerLoops, log: ServerLog, store: OpenStore?,
        web: @escaping @Sendable () throws -> Web
    ) {
        self.core = core
        self.loops = loops
        self.log = log
        self.store = store
        self.web = web
    }

    /// Starts the loops.
    ///
    /// - Parameter sweepsStore: whether what has expired is removed from the store from time to time.
    package func start(sweepsStore: Bool) throws(SystemError) {
        try loops.start()
        if sweepsStore { sweepStore(after: .seconds(60)) }
    }

    /// Sweeps the store from time to time, but not while clients come back after a start.
    private func sweepStore(after delay: Duration) {
        _ = loops.control.schedule(after: delay) { [weak self] in
            guard let self else { return }
            sweepStore(after: SessionRestorer(core.sessions).sweep())
        }
    }

    /// Listens on a socket. Called on the control loop.
    ///
    /// - Returns: the listener, which this server closes.
    /// - Throws: `OpenToAll` if other machines can reach the socket and clients need no token; the error of `web`;
    ///   `SystemError`.
    @discardableResult
    package func listen(_ socket: consuming ListeningSocket) throws -> Listener {
        let accept = try acceptor(isUnix: socket.isUnix)
        guard socket.isLocal || core.hasTokens else { throw OpenToAll(address: "\(socket.address)") }
        return didListen(
            try Listener.over(
                socket, on: loops.control, handingTo: loops.clients, didFail: { [log] in log.warning("\($0)") },
                accept: accept))
    }

    /// Listens on a Unix socket, as `listen(_:)` does.
    @discardableResult
    package func listen(path: String) throws -> Listener {
        didListen(
            try Listener.unix(
                path: path, on: loops.control, handingTo: loops.clients,
                didFail: { [log] in log.warning("\($0)") }, accept: { [core] in core.serve($0) }))
    }

    private func didListen(_ listener: Listener) -> Listener {
        listeners.withLock { [control = loops.control] in $0.append(LoopBound(listener, loop: control)) }
        log.notice("listening on \(listener.address)")
        return listener
    }

    /// Returns the function that takes the streams of a listener. On TCP, some of these are browsers'.
    private func acceptor(isUnix: Bool) throws -> @Sendable (DescriptorStream) -> Void {
        if isUnix { return { [core] in core.serve($0) } }
        let web = try web()
        let site = Site(
            core: core, files: web.page, origins: AllowedOrigins(web.allowedOrigins), opensMetrics: web.opensMetrics,
            buildState: web.buildState)
        let door = FrontDoor(core: core, site: site)
        doors.withLock { $0.append(door) }
        return { door.accept($0) }
    }

    /// Takes no further client. Called on the control loop.
    package func stopListening() {
        for listener in listeners.withLock({ $0 }) { listener.value.close() }
    }

    /// Ends everything in order, as `ServerCore.drain()` says. All waiting has to be on the control loop, as view models may
    /// hold all threads of Swift's own pool.
    package func drain() async {
        for door in doors.withLock({ $0 }) { await door.drain() }
        await core.drain()
    }

    /// Stops the view models that no drain has stopped. On the control loop, as all that follows.
    package func stopSessions() async {
        await core.stopSessions()
    }

    /// Stores what is left, and closes the store.
    package func closeStore() async {
        await store?.close()
    }

    /// Ends the loops.
    package func stop() {
        loops.stop()
    }
}
