package import Sessions
import Synchronization
package import Transport
import ViewModelProtocol

/// The links of a server to others with the same store: it asks them for sessions that they have, and serves their clients.
///
/// A link comes in by the port that clients use, too: it begins with a zero byte, as no message of theirs does.
///
/// Any thread may call it.
package final class ServerLinks: Sendable {
    /// Finds the link to a server, or connects.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`.
    ///   - then: called once, on any thread, with nil where that server can't be reached.
    package typealias Connect = @Sendable (_ address: String, _ then: @escaping @Sendable (Link?) -> Void) -> Void

    private struct State {
        /// Links that others have made, by their streams.
        var accepted: [ObjectIdentifier: Link] = [:]
        var nextLoop = 0
        var isClosed = false
        /// Whether the store is looked at.
        var isWatching = false
        /// For how long the store hasn't worked at the last look.
        var storelessTime = Duration.zero
    }

    /// Between two looks at the store.
    private static let interval = Duration.milliseconds(500)

    private let token: [UInt8]
    private let loops: [EventLoop]
    private let connect: Connect
    private let settings: Link.Settings
    private let state = Mutex(State())
    /// Where clients' new sessions are opened: for tests, in which another server has all sessions.
    let opener: SceneHolder?
    /// In the process of a client: its store comes over the link, which ends last then.
    let journal: ProcessJournal?

    /// - Parameters:
    ///   - token: proves that a server has the same store.
    ///   - loops: serve the clients of other servers. At least one.
    ///   - settings: of links that others make.
    package init(
        token: [UInt8], loops: [EventLoop], opener: SceneHolder? = nil, settings: Link.Settings = Link.Settings(),
        journal: ProcessJournal? = nil, connect: @escaping Connect
    ) {
        self.journal = journal
        self.token = token
        self.settings = settings
        self.loops = loops
        self.opener = opener
        self.connect = connect
    }

    /// Opens a channel to a server for a client.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`.
    ///   - then: called once, on the loop, with nil where that server can't be reached.
    func open(
        to address: String, for client: RelayedClient, on loop: EventLoop,
        then: @escaping @Sendable (LoopBound<LinkStream>?) -> Void
    ) {
        connect(address) { link in
            let stream = link.map {
                LoopBound($0.openChannel(payload: client.text, on: loop, peer: address), loop: loop)
            }
            loop.execute { then(stream) }
        }
    }

    /// Takes a link of another server. Called on the stream's loop.
    ///
    /// - Parameter core: serves its clients.
    package func accept(_ stream: any ByteStream, _ core: ServerCore) {
        let id = ObjectIdentifier(stream)
        let link = Link(accepting: stream, token: token, settings: settings) { [weak self] _ in
            _ = self?.state.withLock { $0.accepted.removeValue(forKey: id) }
        } accept: { [weak self, weak core, journal] payload, make in
            if let journal, let hello = StoreChannelHello(payload) { return journal.open(hello, make) }
            guard let self, let core, !core.isDraining, let client = RelayedClient(payload) else { return }
            let loop = nextLoop
            let stream = LoopBound(make(loop, client.peer), loop: loop)
            loop.execute { core.serve(stream.value, relayed: client) }
        }
        let (isClosed, begins) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            state.accepted[id] = link
            defer { state.isWatching = true }
            return (false, !state.isWatching)
        }
        if isClosed { link.close() }
        // The link of a process is to its own server.
        if begins, journal == nil { watchStore(of: core, on: stream.loop) }
    }

    /// Looks at the store while others have links. Without it for as long as its lease, this server closes them: others may
    /// take its sessions then, and the clients of theirs that wait here come back to them.
    private func watchStore(of core: ServerCore, on loop: EventLoop) {
        _ = loop.schedule(after: Self.interval) { [weak self, weak core] in
            guard let self, let core, let journal = core.sessions.journal else { return }
            let (goesOn, lost) = state.withLock { state -> (Bool, [Link]) in
                state.storelessTime = journal.failure == nil ? .zero : state.storelessTime + Self.interval
                state.isWatching = !state.accepted.isEmpty
                guard state.isWatching else {
                    state.storelessTime = .zero
                    return (false, [])
                }
                guard journal.leaseTime > .zero, state.storelessTime > journal.leaseTime else { return (true, []) }
                defer { state.accepted = [:] }
                return (true, Array(state.accepted.values))
            }
            if !lost.isEmpty {
                core.log.warning(
                    "without its store for longer than its lease, this server sends the clients of others away")
            }
            for link in lost { link.close() }
            if goesOn { watchStore(of: core, on: loop) }
        }
    }

    /// Takes what others have sent, which their channels then have two turns later. On the loop of their links.
    func readAvailable() {
        for link in state.withLock({ Array($0.accepted.values) }) { link.readAvailable() }
    }

    /// Closes the links that others have made, behind everything that was written, and takes none from then on.
    func close() {
        let links = state.withLock { state in
            state.isClosed = true
            defer { state.accepted = [:] }
            return Array(state.accepted.values)
        }
        for link in links { link.close() }
    }

    private var nextLoop: EventLoop {
        state.withLock { state in
            state.nextLoop = (state.nextLoop + 1) % loops.count
            return loops[state.nextLoop]
        }
    }
}

/// Connects to other servers, once to each. What many clients send goes through these links, so they have a loop of their
/// own, which runs from the first of them on.
package final class LinkConnector: Sendable {
    private let token: [UInt8]
    private let loop: EventLoop
    private let isRunning = Mutex(false)
    private let table: LinkTable
    /// What the names of servers mean, until one can't be reached.
    private let addresses = Mutex<[String: SocketAddress]>([:])

    package init(token: [UInt8]) throws(SystemError) {
        self.token = token
        loop = try EventLoop(name: "links")
        table = LinkTable(on: loop)
    }

    /// See `ServerLinks.Connect`.
    package func connect(to address: String, then: @escaping @Sendable (Link?) -> Void) {
        resolve(address) { [self] resolved in
            guard let resolved, runs() else { return then(nil) }
            table.withLink(to: resolved, token: token) { [self] result in
                let link = try? result.get()
                if link == nil { addresses.withLock { $0[address] = nil } }
                then(link)
            }
        }
    }

    /// False where the system has no thread to give.
    private func runs() -> Bool {
        isRunning.withLock { isRunning in
            if !isRunning { isRunning = (try? loop.start()) != nil }
            return isRunning
        }
    }

    /// Closes all links, behind everything that was written, and ends.
    package func close() {
        table.close()
        loop.stop()
    }

    /// - Parameter then: called on any thread, with nil where there is no such address.
    private func resolve(_ address: String, then: @escaping @Sendable (SocketAddress?) -> Void) {
        if let known = addresses.withLock({ $0[address] }) { return then(known) }
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            return then(nil)
        }
        var host = address[..<colon]
        // IPv6.
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        do {
            // A name may ask the network, for which no loop can wait.
            try Thread.start("resolver") { [self, host = String(host)] in
                let resolved = try? SocketAddress.resolve(host: host, port: port).first
                addresses.withLock { $0[address] = resolved }
                then(resolved)
            }
        } catch {
            then(nil)
        }
    }
}
