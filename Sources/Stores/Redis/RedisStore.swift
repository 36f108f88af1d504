package import Sessions
import Transport

/// Durable sessions in a Redis or Valkey, from version 6 on. `RedisScript` says where it keeps what, and how that is all or
/// nothing.
///
/// One server has the store at a time: it has a lease, which it renews, and a number that rises with each server and is looked
/// at in each call. So a server that was stopped while another one took over can store nothing more.
///
/// What a commit survives is a matter of Redis' configuration (`appendonly`, `appendfsync`).
package final class RedisStore: SessionStore {
    private struct State {
        /// Of the commit that was sent last.
        var sent = 0
        var acknowledged = 0
        /// The commit that was sent last, while its answer is missing: it may be stored.
        var uncertain: [StoredChange]?
        var renewed = ContinuousClock.now
    }

    private let address: RedisAddress
    private let leaseTime: Duration
    private let lease = RedisLease.make()
    /// The fencing number; empty for one that only reads.
    private let token: [UInt8]
    // Unchecked, both: used by the journal's thread alone, from `init` on, which happens before that thread starts.
    nonisolated(unsafe) private let client: RedisClient
    nonisolated(unsafe) private var state = State()

    /// How many scenes a sweep removes in one call, for which all others have to wait.
    private static let sweptTogether = 100

    /// Connects, and takes the store.
    ///
    /// Where another server has a lease that can't be seen to be over from here, this waits until it is, or is renewed.
    ///
    /// - Parameters:
    ///   - takesOver: takes the store from a server that still has it.
    ///   - leaseTime: for so long after a server was ended without giving the store up, no other may have it.
    ///   - timeLimit: a Redis from which no byte comes for so long can't be reached.
    ///   - wait: waits that long.
    ///   - report: takes what a person should know, before this returns.
    /// - Throws: `StoreError`, with what to do.
    package init(
        _ address: RedisAddress, takesOver: Bool = false, leaseTime: Duration = .seconds(10),
        timeLimit: Duration = .seconds(5),
        wait: (Duration) -> Void = { _ = Semaphore().wait(atMost: $0) }, report: (String) -> Void = { _ in }
    ) throws(StoreError) {
        self.address = address
        self.leaseTime = leaseTime
        let client = RedisClient(address, timeLimit: timeLimit)
        try RedisFacts(client)?.check(address, report)
        var taking = RedisTaking(address, lease, takesOver: takesOver, leaseTime: leaseTime)
        token = try taking.take(client, wait, report)
        self.client = client
    }

    /// Connects to read a store, whether or not a server has it. Each scene is as of one moment.
    ///
    /// - Throws: `StoreError`, also where there is no store.
    package init(reading address: RedisAddress, timeLimit: Duration = .seconds(5)) throws(StoreError) {
        self.address = address
        leaseTime = .zero
        token = []
        client = RedisClient(address, timeLimit: timeLimit)
        switch try client.call(["HGET", RedisTaking.storeKey, "format"]).text {
        case RedisTaking.format?: break
        case nil: throw .unusable("\(address) has no store")
        case let format?: throw RedisTaking.otherFormat(format, address)
        }
    }

    package func close() {
        // It takes too long to connect for it: the lease is soon over, too.
        if !token.isEmpty, client.isConnected { _ = try? call(.release, lease.text) }
        client.close()
    }

    package func checkOwner() throws(StoreError) {
        guard !token.isEmpty else { return }
        let milliseconds = Int(leaseTime / .milliseconds(1))
        _ = try call(.own, lease.text, "\(milliseconds)")
        state.renewed = .now
    }

    /// Before other calls, of which so many may come that the journal has no time to check.
    private func renewLease() throws(StoreError) {
        if .now - state.renewed > leaseTime / 3 { try checkOwner() }
    }

    /// Before what writes.
    private func expectOwner() throws(StoreError) {
        guard !token.isEmpty else { throw .unusable("\(address) was opened to be read") }
        try renewLease()
    }

    private func call(_ script: RedisScript, _ arguments: String...) throws(StoreError) -> ArraySlice<RESPValue> {
        try call(script, arguments.map { Array($0.utf8) })
    }

    private func call(_ script: RedisScript, _ arguments: [[UInt8]]) throws(StoreError) -> ArraySlice<RESPValue> {
        let keys = [RedisTaking.storeKey, RedisTaking.leaseKey]
        let values = try client.call(script, keys: keys, [token] + arguments)
        switch values.first?.text {
        case "ok": return values.dropFirst()
        case "owner": throw .takenOver("another server has taken the store over")
        case "lost":
            throw .takenOver(
                """
                \(address) has lost commits that it had acknowledged, as it does when it is started without them or when \
                a replica that was behind becomes the master: start this server again, and sessions go on from there
                """)
        case "refused": throw .unusable("\(address): \(values.last?.text ?? "")")
        default: throw .unavailable("\(address): a commit was overtaken by a later one")
        }
    }

    private func broken() -> StoreError {
        .unusable("\(address): another program has changed what the store keeps: restore it from a backup")
    }
}

// Writing.
extension RedisStore {
    package func commit(_ changes: [StoredChange]) throws(StoreError) {
        let arguments = try RedisChanges(changes).arguments
        try expectOwner()
        // The same again has the same number, by which it is stored once.
        if state.uncertain != changes { state.sent += 1 }
        state.uncertain = changes
        let numbers = [state.sent, state.acknowledged].map { Array("\($0)".utf8) }
        do throws(StoreError) {
            _ = try call(.commit, numbers + arguments)
        } catch {
            if case .unavailable = error {} else { state.uncertain = nil }
            throw error
        }
        state.acknowledged = state.sent
        state.uncertain = nil
    }

    package func removeScenes(unusedSince time: Int64) throws(StoreError) -> Int {
        var total = 0
        while true {
            try expectOwner()
            let answer = try call(.sweep, "\(time)", "\(Self.sweptTogether)")
            let count = Int(answer.first?.integer ?? 0)
            total += count
            if count < Self.sweptTogether { return total }
        }
    }
}

// Reading.
extension RedisStore: ListedStore {
    package func rootKey(ofOpening once: String) throws(StoreError) -> String? {
        try renewLease()
        return try call(.opening, once).first?.text
    }

    package func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        try renewLease()
        let answer = try call(.read, key)
        if answer.isEmpty { return nil }
        guard let scene = RedisScene(answer)?.scene else { throw broken() }
        return scene
    }

    package func summaries() throws(StoreError) -> [StoredSummary] {
        guard let roots = try client.call(["ZREVRANGE", RedisTaking.usedKey, "0", "-1"]).array else { throw broken() }
        var all: [StoredSummary] = []
        for root in roots {
            // One that has gone since isn't listed.
            guard let key = root.text, let scene = try scene(withSessionKey: key) else { continue }
            all += scene.sessions.map { session in
                StoredSummary(
                    key: session.header.key, scene: key, viewModel: session.header.viewModel,
                    newest: session.turn.newest, used: scene.header.used, bytes: session.bytes)
            }
        }
        return all
    }
}

extension StoredSession {
    fileprivate var bytes: Int {
        let events = turn.entries.reduce(0) { sum, entry in
            switch entry.content {
            case .event(let payload): sum + payload.count
            case .navigation(let change): sum + change.child.viewModel.utf8.count
            }
        }
        return events + (header.arguments?.count ?? 0) + turn.saved.reduce(0) { $0 + $1.text.count }
    }
}
