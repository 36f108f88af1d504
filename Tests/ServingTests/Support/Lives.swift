import Serving
import Sessions
import Stores
import Synchronization
import TestSupport

/// Servers one after the other, with one store.
final class Lives {
    let store = MemoryStore()
    /// What the servers logged, of all lives.
    private(set) var log: [String] = []
    /// Of the lives that begin from now on.
    var limits: Limits
    private let hasPool: Bool
    private let register: (inout Registry, _ life: Int) -> Void
    private let clients = LivesClient()
    private(set) var server: TestServer?
    private(set) var journal: Journal?
    private(set) var count = 0
    /// Of the store, for the steps of the last play.
    private(set) var playedCommits = 0

    /// - Parameters:
    ///   - hasPool: as for `TestServer`.
    ///   - register: adds view models to the examples, as the code of that life has them.
    init(
        limits: Limits = Limits(), hasPool: Bool = false,
        register: @escaping (inout Registry, _ life: Int) -> Void = { _, _ in }
    ) {
        self.limits = limits
        self.hasPool = hasPool
        self.register = register
    }

    /// Plays all steps in one life after the other. Returns what was told.
    ///
    /// - Parameter isDone: called with what was told; false where more is to come, also in another life.
    func play(
        _ steps: [ReturningClient.Step], until isDone: ([String: [Int: String]]) -> Bool = { _ in true }
    ) async throws -> [String: [Int: String]] {
        let client = ReturningClient { [self] in try await connect() }
        for step in steps { try await client.perform(step) }
        repeat { try await client.perform(.wait) } while !isDone(client.told)
        playedCommits = store.commits
        await end()
        return client.told
    }

    func begin() async throws {
        count += 1
        let clients = clients
        let journal = try Journal(
            store, retryDelay: .milliseconds(1), now: { 1_000 },
            onTakeover: { _ in
                // The process is gone: its clients notice that by their connections.
                clients.withLock { $0?.cut() }
            })
        self.journal = journal
        server = try TestServer(limits: limits, hasPool: hasPool, journal: journal, keyPrefix: "life-\(count)-") {
            register(&$0, count)
        }
    }

    /// Begins the first life with a client that shows the details of an order, as sessions 1 and 2, and has seen all that is
    /// stored.
    func beginWithDetails() async throws -> TestClient {
        try await begin()
        guard let client = try await server?.connected() else { throw TestClient.Ended(unread: "") }
        client.send(
            Wire.open("1", "orders", #"{"count":3,"delay":0}"#), Wire.viewEvent("2", 1, #"{"kind":"loadOrders"}"#),
            Wire.viewEvent("3", 1, #"{"kind":"selectOrder","index":1}"#))
        while try await !client.next().contains(#""id":3"#) {}
        client.send(Wire.attach("4", "life-1-2", since: 0))
        // The child's start is stored, too.
        while try await !client.next().contains(#""session":2,"seq":"#) {}
        return client
    }

    /// The texts of the snapshots of the first session, in one life each, which ends as by a kill.
    func snapshots(_ count: Int) async throws -> [String] {
        var snapshots: [String] = []
        for _ in 0..<count {
            let client = try await connect()
            client.send(Wire.attach("1", "life-1-1"))
            snapshots.append(try await client.next().matches(of: /"value": ?"([^"]+)"/).map { "\($0.1)" }.joined())
            await end()
        }
        return snapshots
    }

    func connect() async throws -> TestClient {
        if let journal, case .takenOver? = journal.failure {
            await end()
            store.mend()
        }
        if server == nil { try await begin() }
        guard let server else { throw TestClient.Ended(unread: "") }
        let client = try await server.connected()
        clients.withLock { $0 = client }
        if let journal, case .takenOver? = journal.failure { client.cut() }
        return client
    }

    func cut() {
        clients.withLock { $0?.cut() }
    }

    func drain() async {
        await server?.core.drain()
        await end()
    }

    func end() async {
        await server?.core.stopSessions()
        if let journal { await withCheckedContinuation { done in journal.finish { done.resume() } } }
        await server?.stop()
        log += server?.log.elements ?? []
        (server, journal) = (nil, nil)
    }
}

private final class LivesClient: Sendable {
    private let client = Mutex<TestClient?>(nil)

    func withLock<R: Sendable>(_ body: (inout sending TestClient?) -> sending R) -> R { client.withLock(body) }
}
