package import Sessions
import Synchronization
package import Transport
import ViewModelProtocol

/// The links of a server to others with the same store. Over them the server asks for sessions that others have, and serves
/// the clients of others.
///
/// A link uses the port of clients: it begins with a zero byte, which no client's message does.
///
/// Any thread may call it.
package final class ServerLinks: Sendable {
    /// Finds the link to a server, or connects to the server.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`.
    ///   - then: called once, on any thread, with nil where that server can't be reached.
    package typealias Connect = @Sendable (_ address: String, _ then: @escaping @Sendable (Link?) -> Void) -> Void

    private struct State {
        /// The links that other servers have made, by their streams.
        var accepted: [ObjectIdentifier: Link] = [:]
        var nextLoop = 0
        var isClosed = false
        /// Whether the store is checked regularly.
        var isWatching = false
        /// For how long the store hasn't worked, as of the last check.
        var storelessTime = Duration.zero
    }

    /// The time between two checks of the store.
    private static let interval = Duration.milliseconds(500)

    private let token: [UInt8]
    private let loops: [EventLoop]
    private let connect: Connect
    private let settings: Link.Settings
    private let state = Mutex(State())
    /// The server that has all sessions, in tests that have one; otherwise nil.
    let opener: SceneHolder?
    /// The journal of a client's process, whose store is reached over the link, so that the link is closed last; nil in other
    /// processes.
    let journal: ProcessJournal?

    /// - Parameters:
    ///   - token: proves that the other server has the same store.
    ///   - loops: serve the clients of other servers. At least one.
    ///   - settings: the settings of links that others make.
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

    /// Accepts the link of another server. Called on the stream's loop.
    ///
    /// - Parameter core: serves the clients of the other server.
    package func accept(_ stream: any ByteStream, _ core: ServerCore) {
        let id = ObjectIdentifier(stream)
        let link = Link(accepting: stream, token: token, settings: settings) { [weak self] _ in
            _ = self?.state.withLock { $0.accepted.removeValue(forKey: id) }
        } accept: { [weak self, weak core, journal] payload, make in
            if let journal, let hello = StoreChannelHello(payload) { return journal.open(hello, make) }
            guard let self, let core, !core.isDraining, let client = RelayedClient.read(payload) else { return }
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
        // A process has one link, to its own server.
        if begins, journal == nil { watchStore(of: core, on: stream.loop) }
    }

    /// Checks the store regularly while others have links to this server. Where the store hasn't worked for as long as its
    /// lease, this server closes those links: others may take its sessions then, and the clients that wait here find the
    /// sessions there.
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

    /// Reads what has arrived on the links. Their channels have it two turns later. Called on the loop of the links.
    func readAvailable() {
        for link in state.withLock({ Array($0.accepted.values) }) { link.readAvailable() }
    }

    /// Closes the links that others have made, after everything that was written, and accepts no more.
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

/// Connects to other servers, with one link to each. The links share a loop of their own, as they carry the messages of many
/// clients; it runs from the first link on.
package final class LinkConnector: Sendable {
    private let token: [UInt8]
    private let loop: EventLoop
    private let isRunning = Mutex(false)
    private let table: LinkTable
    /// The addresses that servers' names were resolved to, each until its server can't be reached.
    private let addresses = Mutex<[String: SocketAddress]>([:])

    package init(token: [UInt8]) throws(SystemError) {
        self.token = token
        loop = try EventLoop(name: "links")
        table = LinkTable(on: loop)
    }

    /// Finds the link to a server, or connects. See `ServerLinks.Connect`.
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

    /// Starts the loop, where it doesn't run. Returns false where the system can't create a thread.
    private func runs() -> Bool {
        isRunning.withLock { isRunning in
            if !isRunning { isRunning = (try? loop.start()) != nil }
            return isRunning
        }
    }

    /// Closes all links, after everything that was written, and ends the loop.
    package func close() {
        table.close()
        loop.stop()
    }

    /// Resolves an address of the form `HOST:PORT`.
    ///
    /// - Parameter then: called on any thread, with nil where there is no such address.
    private func resolve(_ address: String, then: @escaping @Sendable (SocketAddress?) -> Void) {
        if let known = addresses.withLock({ $0[address] }) { return then(known) }
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            return then(nil)
        }
        var host = address[..<colon]
        // An IPv6 address is in brackets.
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        do {
            // Resolving a name may use the network, so it must not hold up a loop.
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
