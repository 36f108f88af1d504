package import Sessions
import Transport

/// Durable sessions in a Redis or Valkey, from version 6 on. `RedisScript` describes the keys, and how a commit is all or
/// nothing.
///
/// Several servers may share the store. Each has a lease, which it renews. Each scene is on one server, which took it under a
/// number that rises. So a server that was stopped while another one took its scenes can't store anything more of those, and
/// goes on with the others.
///
/// Redis' configuration (`appendonly`, `appendfsync`) decides what a commit survives.
// Over 400 lines because every call depends on what the server knows of its lease and its scenes.
package final class RedisStore: SessionStore {
    private struct State {
        /// The scenes that this server has, by the keys of their roots.
        var held: [String: Hold] = [:]
        var renewed: ContinuousClock.Instant
        /// Whether the server's lease isn't renewed any more.
        var hasLeft = false
        /// Whether the lease had run out when it was renewed.
        var hasLapsed = false
        /// Whether Redis may remove keys when its memory is full, as of the last check; true where that isn't known.
        var mayEvict = false
        /// The progress of the sweep.
        var sweep = Sweep()
    }

    /// The progress of a sweep, of which each call does a step.
    private struct Sweep {
        /// The number of scenes that were searched for ones without a last use in the store's time; nil when all were.
        var adopted: Int? = 0
        /// The number of old scenes that other servers have.
        var kept = 0
    }

    /// A scene that this server has.
    private struct Hold {
        /// The fence under which this server took the scene.
        let fence: Int64
        /// The number of the newest commit that was acknowledged.
        var commit: Int64

        /// A scene before the commit that makes it.
        static let new = Hold(fence: 1, commit: 0)
        /// A scene that this server doesn't have, and that isn't about to be made.
        static let none = Hold(fence: 0, commit: -1)
    }

    private let address: RedisAddress
    package let leaseTime: Duration
    private let lease: RedisLease
    /// The server's registration; nil for a store that is only read.
    private let joining: RedisJoining?
    // Both unchecked: only the journal's thread uses them. `init` uses them before that thread starts.
    nonisolated(unsafe) private let client: RedisClient
    nonisolated(unsafe) private var state: State
    private let now: @Sendable () -> ContinuousClock.Instant
    private let makeName: @Sendable () -> String

    /// The number of scenes that a sweep looks at in one call. All other calls wait for it.
    private static let sweptTogether = 100
    /// The number of scenes that are looked at in one call for a list, and in all calls together: those that were used longest
    /// ago aren't listed where a store has more.
    private static let listedTogether = 500
    private static let listedFrom = 100_000
    /// The approximate number of arguments in one call of a commit. All other calls wait for it.
    private static let storedTogether = 50_000

    /// Connects, and registers this server.
    ///
    /// - Parameters:
    ///   - advertised: the address where other servers reach this one; nil: none.
    ///   - leaseTime: how long the scenes of a server that has ended without giving them up stay closed to others.
    ///   - timeLimit: how long Redis may send nothing before it counts as unreachable.
    ///   - connector: makes the connection.
    ///   - now: the time by which the lease is renewed.
    ///   - makeName: makes the names of this server and of epochs, each of them unique.
    ///   - report: takes what a person should know, before this returns.
    /// - Throws: `StoreError`, whose reason says what to do.
    package init(
        _ address: RedisAddress, advertised: String? = nil, leaseTime: Duration = .seconds(10),
        timeLimit: Duration = .seconds(5), connector: @escaping RedisConnector = RedisClient.socket,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        makeName: @escaping @Sendable () -> String = SessionEpochs.randomName, report: (String) -> Void = { _ in }
    ) throws(StoreError) {
        self.address = address
        self.leaseTime = leaseTime
        self.now = now
        self.makeName = makeName
        state = State(renewed: now())
        let client = RedisClient(address, timeLimit: timeLimit, connector: connector, isChecked: true)
        if let facts = try RedisFacts(client), !facts.hasAppendOnlyFile {
            report("\(address) has no append-only file (appendonly no): when it ends, sessions may be lost")
        }
        lease = RedisLease.make(makeName(), advertising: advertised)
        let joining = RedisJoining(address, lease, leaseTime: leaseTime)
        _ = try joining.renew(client)
        linkToken = try joining.linkToken(client)
        self.joining = joining
        self.client = client
    }

    /// Connects to read a store, whichever servers have its scenes. Each scene is read as of one moment.
    ///
    /// - Throws: `StoreError`, also where there is no store.
    package init(
        reading address: RedisAddress, timeLimit: Duration = .seconds(5),
        connector: @escaping RedisConnector = RedisClient.socket
    ) throws(StoreError) {
        self.address = address
        leaseTime = .zero
        now = { .now }
        makeName = { "" }
        state = State(renewed: .now)
        joining = nil
        linkToken = []
        lease = RedisLease("")
        client = RedisClient(address, timeLimit: timeLimit, connector: connector)
        switch try client.call(["HGET", RedisJoining.storeKey, "format"]).text {
        case RedisJoining.format?: break
        case nil: throw .unusable("\(address) has no store")
        case let format?: throw RedisJoining.otherFormat(format, address)
        }
    }

    /// The token that servers with this store show each other; empty for a store that is only read.
    package let linkToken: [UInt8]

    package var holder: SceneHolder? { joining == nil ? nil : lease.holder }

    package func close() {
        // Connecting again for this would take too long, and the lease runs out soon anyway.
        if client.isConnected { try? leave() }
        client.close()
    }

    package func leave() throws(StoreError) {
        guard joining != nil, !state.hasLeft else { return }
        state.hasLeft = true
        _ = try client.call(["DEL", RedisJoining.serverKey(lease.id)])
    }

    package func renew() throws(StoreError) {
        guard let joining, !state.hasLeft else { return }
        do throws(StoreError) {
            if try !joining.renew(client) { state.hasLapsed = true }
        } catch {
            if case .unusable(let reason) = error { throw .takenOver(reason) }
            throw error
        }
        state.renewed = now()
        try checkMemory()
    }

    /// Checks that Redis removes no keys, as its configuration may be changed while it runs.
    private func checkMemory() throws(StoreError) {
        // Set before the check, so that the next commit checks again where this one fails.
        state.mayEvict = true
        try RedisFacts(client, only: "memory")?.checkEviction(address)
        state.mayEvict = false
    }

    package func takeLapse() -> StoreLapse? {
        defer { state.hasLapsed = false }
        let hasChanged = client.takeChange()
        return state.hasLapsed ? .lease : hasChanged ? .change : nil
    }

    /// Renews the lease where that is due. Called before other calls, as so many may come that the journal has no time to
    /// renew.
    private func renewLease() throws(StoreError) {
        if now() - state.renewed > leaseTime / 3 { try renew() }
    }

    /// Makes sure that this server may write. Called before each call that writes.
    private func prepareToWrite() throws(StoreError) {
        guard joining != nil else { throw .unusable("\(address) was opened to be read") }
        try renewLease()
        if state.mayEvict { try checkMemory() }
    }

    private func call(_ script: RedisScript, _ arguments: String...) throws(StoreError) -> ArraySlice<RESPValue> {
        try call(script, arguments.map { Array($0.utf8) })
    }

    /// Calls a script with the server's id and these arguments.
    private func call(_ script: RedisScript, _ arguments: [[UInt8]]) throws(StoreError) -> ArraySlice<RESPValue> {
        let values = try client.call(script, keys: [RedisJoining.storeKey], [Array(lease.id.utf8)] + arguments)
        switch values.first?.text {
        case "ok": return values.dropFirst()
        case "other": throw .lost(Self.otherServer)
        case "behind": throw .lost(behind)
        case "gone": throw .lost(gone)
        default: throw broken()
        }
    }

    private func broken() -> StoreError {
        .unusable("\(address): another program has changed what the store keeps: restore it from a backup")
    }

    private static let otherServer = "another server has taken it"

    private var behind: String {
        """
        \(address) has lost commits that it had acknowledged, as it does when it is started without them or when a replica \
        that was behind becomes the master
        """
    }

    private var gone: String { "another server has ended it, or \(behind)" }
}

// Writing.
extension RedisStore {
    /// A scene's commit on its way to Redis.
    private struct Sending {
        let place: Int
        let hold: Hold
        let changes: RedisChanges
    }

    package func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome] {
        try prepareToWrite()
        var outcomes = commits.map { _ in StoreOutcome.stored }
        var (calls, size): ([[Sending]], Int) = ([], .max)
        for (place, commit) in commits.enumerated() {
            let changes: RedisChanges
            do throws(StoreError) {
                changes = try RedisChanges(commit)
            } catch {
                outcomes[place] = .refused(error.reason)
                continue
            }
            let hold = state.held[commit.scene] ?? (changes.makesScene ? .new : .none)
            if size > Self.storedTogether { (calls, size) = (calls + [[]], 0) }
            calls[calls.count - 1].append(Sending(place: place, hold: hold, changes: changes))
            size += changes.arguments.count
        }
        for sendings in calls {
            let found = try send(sendings, commits)
            for (sending, outcome) in zip(sendings, found) { outcomes[sending.place] = outcome }
        }
        // Only when all calls have answers: where one has none, all are made again under the same numbers.
        for sending in calls.joined() { note(outcomes[sending.place], sending, commits[sending.place].scene) }
        return outcomes
    }

    private func send(_ sendings: [Sending], _ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome] {
        var arguments: [[UInt8]] = []
        for sending in sendings {
            let (hold, changes) = (sending.hold, sending.changes)
            arguments += [
                commits[sending.place].scene, "\(hold.fence)", "\(hold.commit + 1)", changes.removesScene ? "1" : "0",
                "\(changes.arguments.count)",
            ].map { Array($0.utf8) }
            arguments += changes.arguments
        }
        let answer: ArraySlice<RESPValue>
        do throws(StoreError) {
            answer = try call(.commit, arguments)
        } catch {
            if case .unusable(let reason) = error { return sendings.map { _ in .refused(reason) } }
            throw error
        }
        guard answer.count == sendings.count else { throw broken() }
        return answer.map(outcome)
    }

    private func outcome(_ value: RESPValue) -> StoreOutcome {
        switch value.array?.first?.text {
        case "stored": .stored
        case "other": .lost(Self.otherServer)
        case "once": .lost("another server has made the session of this opening")
        case "behind": .lost(behind)
        case "gone": .lost(gone)
        case "part": .lost("\(address) has lost a part of it")
        default: .refused(refusal(value.array?.last?.text ?? ""))
        }
    }

    private func refusal(_ text: String) -> String {
        text.contains("WRONGTYPE") ? RedisFailure(text).error(at: address).reason : "\(address): \(text)"
    }

    private func note(_ outcome: StoreOutcome, _ sending: Sending, _ scene: String) {
        switch outcome {
        case .stored where sending.changes.removesScene: state.held[scene] = nil
        case .stored where sending.hold.fence > 0:
            state.held[scene] = Hold(fence: sending.hold.fence, commit: sending.hold.commit + 1)
        case .lost: state.held[scene] = nil
        case .stored, .refused: break
        }
    }

    package func checkOwner(of scene: String) throws(StoreError) {
        try renewLease()
        guard let hold = state.held[scene] else { throw .lost(Self.otherServer) }
        _ = try call(.owner, scene, "\(hold.fence)", "\(hold.commit)")
    }

    package func release(_ scene: String) throws(StoreError) {
        guard let hold = state.held.removeValue(forKey: scene) else { return }
        _ = try call(.release, scene, "\(hold.fence)")
    }

    package func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep {
        var sweep = state.sweep
        // Where this call fails, the next one begins anew.
        state.sweep = Sweep()
        try prepareToWrite()
        if let adopted = sweep.adopted {
            let answer = try call(.adopt, "\(adopted)", "\(Self.sweptTogether)")
            guard let count = answer.first?.integer else { throw broken() }
            sweep.adopted = count < Self.sweptTogether ? nil : adopted + Int(count)
            state.sweep = sweep
            return StoreSweep(removed: 0, isDone: false)
        }
        let answer = Array(
            try call(.sweep, "\(time.components.seconds)", "\(sweep.kept)", "\(Self.sweptTogether)"))
        guard answer.count == 2, let count = answer[0].integer, let removed = answer[1].array else {
            throw broken()
        }
        for root in removed { root.text.map { state.held[$0] = nil } }
        sweep.kept += Int(count) - removed.count
        if count < Self.sweptTogether { return StoreSweep(removed: removed.count, isDone: true) }
        state.sweep = sweep
        return StoreSweep(removed: removed.count, isDone: false)
    }
}

// Reading.
extension RedisStore: ListingStore {
    package func rootKey(ofOpening once: String) throws(StoreError) -> String? {
        try renewLease()
        return try client.call(["GET", "vms:once:\(once)"]).text
    }

    package func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        guard joining != nil else { return try read(key, for: "")?.scene }
        try renewLease()
        let epoch = makeName()
        guard var found = try read(key, for: lease.id, epoch) else { return nil }
        let root = found.scene.header.key
        // This server has the scene in Redis but lost what it knew of it, so Redis may have less now than clients were told.
        if state.held[root]?.fence != found.fence, found.scene.sessions.first?.epochs.current != epoch {
            guard let again = try read(key, for: lease.id, epoch, begins: true) else { return nil }
            found = again
        }
        // A scene that is held already keeps the number from its commits: where Redis has less, that must be noticed.
        if state.held[root]?.fence != found.fence {
            state.held[root] = Hold(fence: found.fence, commit: found.commit)
        }
        if let loss = found.loss(at: address) {
            try release(root)
            throw loss
        }
        return found.sceneWithoutGaps
    }

    package func scenes(for filter: SceneFilter, from place: Int) throws(StoreError) -> SceneListing {
        try renewLease()
        if filter.isFull { return SceneListing(scenes: []) }
        let numbers = [
            place, Self.listedTogether, filter.maximumCount, filter.maximumBytes, ListedScene.bytes(arguments: 0),
            filter.scopePrefixes.count,
        ]
        let words = numbers.map { "\($0)" } + filter.scopePrefixes + filter.owners
        let answer = Array(try call(.list, words.map { Array($0.utf8) }))
        guard answer.count == 2, let count = answer[0].integer, let list = answer[1].array else { throw broken() }
        let next = place + Int(count)
        let isOver = count < Self.listedTogether || next >= Self.listedFrom
        // What another program has changed is left out.
        return SceneListing(scenes: list.compactMap { ListedScene($0) }, rest: isOver ? nil : next)
    }

    /// Reads a scene, and takes it for the server with the id `server`, unless that is empty.
    ///
    /// - Parameter epoch: the name of the epoch that begins where the scene is taken, or with `begins` in any case.
    private func read(
        _ key: String, for server: String, _ epoch: String = "", begins: Bool = false
    ) throws(StoreError) -> RedisScene? {
        var ended = ""
        while true {
            let arguments = [server, key, ended, epoch, begins ? "1" : "0"]
            let answer = try client.call(
                .claim, keys: [RedisJoining.storeKey], arguments.map { Array($0.utf8) })
            if answer.first?.text == "held" {
                let other = RedisLease(answer.last?.text ?? "")
                // A lease outlives its process, whose end may be seen from here.
                guard ended.isEmpty, other.isRunning(seenFrom: lease) == false else { throw .held(other.holder) }
                ended = other.id
                continue
            }
            if answer.count == 1 { return nil }
            guard let scene = RedisScene(answer.dropFirst()) else { throw broken() }
            return scene
        }
    }

    package func discard(_ root: String) throws(StoreError) {
        try prepareToWrite()
        _ = try call(.discard, root)
    }

    package func summaries() throws(StoreError) -> [StoredSummary] {
        var all: [StoredSummary] = []
        var servers: [String: String?] = [:]
        guard let roots = try client.roots() else { throw broken() }
        for key in roots {
            // A scene that was removed meanwhile isn't listed.
            guard let found = try read(key, for: "") else { continue }
            if let holder = found.holder, servers[holder] == nil {
                let lease = try client.call(["GET", RedisJoining.serverKey(holder)]).text
                servers[holder] = .some(lease.map { RedisLease($0).description })
            }
            all += found.summaries(holder: found.holder.flatMap { servers[$0] ?? nil })
        }
        return all
    }
}
