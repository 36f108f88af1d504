import Sessions
import Stores
import Synchronization
import TestSupport
import Testing

/// The thread between sessions and their store.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct JournalTests {
    /// The outcome of each commit, by its number.
    private let outcomes = Recorder<Outcome>()
    private let log = Recorder<String>()
    private let takeovers = Recorder<String>()
    private let life = SceneLife("a")

    private struct Outcome: Equatable {
        let number: Int64
        let isStored: Bool
    }

    private func journal(
        _ store: ScriptedStore, retryDelay: Duration = .zero, ownerCheckInterval: Duration = .seconds(3_600)
    ) throws -> Journal {
        let (log, takeovers) = (log, takeovers)
        return try Journal(
            store, retryDelay: retryDelay, ownerCheckInterval: ownerCheckInterval, now: { 5 },
            log: { log.record($0) }, onTakeover: { takeovers.record($0) })
    }

    private static func change(_ number: Int64) -> StoredChange { .useScene(key: "a", time: number) }

    private func commit(_ numbers: ClosedRange<Int64>, to journal: Journal) {
        for number in numbers {
            let outcomes = outcomes
            journal.commit(scene: life, changes: [Self.change(number)]) {
                outcomes.record(Outcome(number: number, isStored: $0.isStored))
            }
        }
    }

    private func expect(_ numbers: ClosedRange<Int64>, stored: (Int64) -> Bool) async {
        let expected = numbers.map { Outcome(number: $0, isStored: stored($0)) }
        #expect(await outcomes.elements(count: expected.count) == expected)
    }

    private func finish(_ journal: Journal) async {
        await withCheckedContinuation { done in journal.finish { done.resume() } }
    }

    @Test func `what comes while the store works is stored together, in order`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let store = ScriptedStore { call, _ throws(StoreError) in
            if call == 1 {
                begun.open()
                gate.block()
            }
        }
        let journal = try journal(store)
        commit(1...1, to: journal)
        await begun.wait()
        commit(2...100, to: journal)
        #expect(outcomes.elements.isEmpty, "nothing is stored before the store says so")
        gate.open()
        await expect(1...100) { _ in true }
        #expect(store.commits == [[Self.change(1)], (2...100).map(Self.change)])
        #expect((journal.counts.commits, journal.counts.turns, journal.counts.errors) == (2, 100, 0))
        #expect(journal.counts.commitTime > .zero)
        await finish(journal)
    }

    @Test func `a reading finds what came before it`() async throws {
        let store = ScriptedStore()
        let journal = try journal(store)
        commit(1...3, to: journal)
        let before: Int = await withCheckedContinuation { done in
            journal.load(.session(key: "a")) { _ in done.resume(returning: store.commits.flatMap(\.self).count) }
        }
        #expect(before == 3)
        let broken: Result<StoredScene?, StoreError> = await withCheckedContinuation { done in
            journal.load(.session(key: "broken")) { done.resume(returning: $0) }
        }
        #expect(broken == .failure(.unusable("broken")))
        #expect(journal.failure == nil, "one broken session is no reason to refuse others")
        await finish(journal)
    }

    @Test func `one that can't be stored harms none of those beside it`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let store = ScriptedStore { call, changes throws(StoreError) in
            if call == 1 {
                begun.open()
                gate.block()
            }
            if changes.contains(Self.change(4)) { throw .unusable("four") }
        }
        let journal = try journal(store)
        commit(1...1, to: journal)
        await begun.wait()
        commit(2...6, to: journal)
        gate.open()
        await expect(1...6) { $0 != 4 }
        #expect(store.commits.dropFirst() == [(2...6).map(Self.change)] + (2...6).map { [Self.change($0)] })
        #expect(journal.failure == nil)
        await finish(journal)
    }

    @Test func `while the store is away it is tried again, later ones wait, and all are stored in order`() async throws
    {
        let (tried, gate) = (Gate(), Gate())
        let store = ScriptedStore { call, _ throws(StoreError) in
            if call == 3 {
                tried.open()
                gate.block()
            }
            if call <= 5 { throw .unavailable("away \(call)") }
        }
        let journal = try journal(store)
        commit(1...1, to: journal)
        await tried.wait()
        #expect(journal.failure == .unavailable("away 2"))
        commit(2...3, to: journal)
        gate.open()
        await expect(1...3) { _ in true }
        #expect(store.commits == Array(repeating: [Self.change(1)], count: 6) + [[Self.change(2), Self.change(3)]])
        #expect(journal.failure == nil)
        #expect(journal.counts.errors == 5)
        await finish(journal)
        #expect(log.elements == ["the store can't be used: away 1", "the store works again"])
    }

    @Test func `after another server has taken the store over nothing is asked of it`() async throws {
        let store = ScriptedStore { call, _ throws(StoreError) in
            if call == 2 { throw .takenOver("gone") }
        }
        let journal = try journal(store)
        commit(1...1, to: journal)
        _ = await outcomes.elements(count: 1)
        commit(2...2, to: journal)
        _ = await outcomes.elements(count: 2)
        commit(3...5, to: journal)
        await expect(1...5) { $0 == 1 }
        let load: Result<StoredScene?, StoreError> = await withCheckedContinuation { done in
            journal.load(.opening(once: "a")) { done.resume(returning: $0) }
        }
        #expect(load == .failure(.takenOver("gone")))
        journal.sweep(unusedFor: .seconds(1))
        await finish(journal)
        #expect(store.commits.count == 2 && store.loads == 0 && store.sweeps.isEmpty && store.isClosed)
        #expect(takeovers.elements == ["gone"], "said once")
        #expect(journal.failure == .takenOver("gone"))
    }

    @Test func `a journal that has nothing to do notices by itself that another server has the store`() async throws {
        let store = ScriptedStore()
        let journal = try journal(store, ownerCheckInterval: .zero)
        commit(1...1, to: journal)
        await expect(1...1) { _ in true }
        store.takeOver()
        #expect(await takeovers.elements(count: 1) == ["gone"])
        commit(2...2, to: journal)
        await expect(1...2) { $0 == 1 }
        #expect(store.commits.count == 1)
        await finish(journal)
        #expect(takeovers.elements.count == 1)
    }

    @Test func `a journal that has nothing to do notices by itself that the store is away, and that it is back`()
        async throws
    {
        let store = ScriptedStore()
        let journal = try journal(store, ownerCheckInterval: .zero)
        store.setAway(true)
        #expect(await log.elements(count: 1) == ["the store can't be used: away"])
        #expect(journal.failure == .unavailable("away"))
        store.setAway(false)
        #expect(await log.elements(count: 2).last == "the store works again")
        #expect(journal.failure == nil)
        await finish(journal)
    }

    @Test(arguments: [StoreLapse.lease, .change])
    func `a journal that has nothing to do says what has happened to the store, for its scenes to be compared`(
        _ lapse: StoreLapse
    ) async throws {
        let store = ScriptedStore()
        let journal = try journal(store, ownerCheckInterval: .zero)
        journal.whenLapsed { [life, outcomes] in
            journal.commit(scene: life, changes: [Self.change(1)]) {
                outcomes.record(Outcome(number: 1, isStored: $0.isStored))
            }
        }
        store.lapse(lapse)
        await expect(1...1) { _ in true }
        #expect(log.elements.count == 1)
        await finish(journal)
        #expect(store.commits.count == 1)
    }

    @Test func `a finish stores what is there, closes the store and ends the thread`() async throws {
        let (begun, gate) = (Gate(), Gate())
        weak var weakStore: ScriptedStore?
        do {
            let store = ScriptedStore { call, _ throws(StoreError) in
                if call == 1 {
                    begun.open()
                    gate.block()
                }
            }
            weakStore = store
            let journal = try journal(store)
            commit(1...1, to: journal)
            await begun.wait()
            commit(2...9, to: journal)
            let finished = Recorder<Int>()
            let outcomes = outcomes
            journal.finish { finished.record(outcomes.elements.count) }
            gate.open()
            #expect(await finished.elements(count: 1) == [9])
            await expect(1...9) { _ in true }
            #expect(store.isClosed)
        }
        // The thread holds the journal, and that the store.
        await until { weakStore == nil }
    }

    @Test func `a finish gives up on a store that is away, however much waits`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let store = ScriptedStore { call, _ throws(StoreError) in
            begun.open()
            gate.block()
            throw .unavailable("away")
        }
        let journal = try journal(store)
        commit(1...1, to: journal)
        await begun.wait()
        commit(2...1_000, to: journal)
        let finished = Gate()
        journal.finish { finished.open() }
        gate.open()
        await finished.wait()
        await expect(1...1_000) { _ in false }
        #expect(store.commits.count <= 2, "it isn't tried for each")
        #expect(store.isClosed)
    }

    @Test func `commits of nothing are stored, also beside one that can't be`() async throws {
        let store = ScriptedStore { _, changes throws(StoreError) in
            if !changes.isEmpty { throw .unusable("never") }
        }
        let journal = try journal(store)
        let outcomes = outcomes
        journal.commit(scene: life, changes: []) { outcomes.record(Outcome(number: 1, isStored: $0.isStored)) }
        commit(2...2, to: journal)
        journal.commit(scene: life, changes: []) { outcomes.record(Outcome(number: 3, isStored: $0.isStored)) }
        await expect(1...3) { $0 != 2 }
        await finish(journal)
    }

    @Test func `a list is read in steps, with the work that comes meanwhile in between`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let store = ScriptedStore(
            onList: { place in
                guard place == 0 else { return }
                begun.open()
                gate.block()
            })
        let journal = try journal(store)
        let order = Recorder<String>()
        let filter = SceneFilter(person: nil, owners: [], maximumCount: 5, maximumBytes: 1 << 20)
        journal.list(filter) { listed in
            order.record(((try? listed.get()) ?? []).map(\.header.key).joined(separator: " "))
        }
        await begun.wait()
        journal.commit(scene: life, changes: [Self.change(1)]) { _ in order.record("stored") }
        gate.open()
        // A scene that comes twice is listed once.
        #expect(await order.elements(count: 2) == ["stored", "0 1 2 3 4"])
        await finish(journal)
    }

    @Test func `a list fails while the store is away, and once another server has it`() async throws {
        let store = ScriptedStore()
        let journal = try journal(store)
        let filter = SceneFilter(person: nil, owners: [], maximumCount: 1, maximumBytes: 1 << 20)
        func list() async -> StoreError? {
            await withCheckedContinuation { done in
                journal.list(filter) { result in
                    let error: StoreError? = if case .failure(let error) = result { error } else { nil }
                    done.resume(returning: error)
                }
            }
        }
        #expect(await list() == nil)
        store.setAway(true)
        #expect(await list() == .unavailable("away"))
        store.setAway(false)
        #expect(await list() == nil)
        store.takeOver()
        #expect(await list() == .takenOver("gone"))
        #expect(journal.failure == .takenOver("gone"))
        #expect(await list() == .takenOver("gone"))
        #expect(journal.counts.errors >= 2)
        await finish(journal)
    }

    private func load(_ query: StoreQuery, from journal: Journal) async -> Result<StoredScene?, StoreError> {
        await withCheckedContinuation { done in journal.load(query) { done.resume(returning: $0) } }
    }

    @Test func `a scene that is lost takes none of those beside it along, and nothing of its life is stored after`()
        async throws
    {
        let (begun, gate) = (Gate(), Gate())
        let store = ScriptedStore { call, _ throws(StoreError) in
            if call == 1 {
                begun.open()
                gate.block()
            }
            if call == 2 { throw .lost("a") }
        }
        let journal = try journal(store)
        let (other, told) = (SceneLife("b"), Recorder<String>())
        commit(1...1, to: journal)
        await begun.wait()
        for number: Int64 in 2...3 {
            journal.commit(scene: life, changes: [Self.change(number)]) { told.record("a \(number) \($0.isLost)") }
            journal.commit(scene: other, changes: [.useScene(key: "b", time: number)]) {
                told.record("b \(number) \($0.isStored)")
            }
        }
        gate.open()
        _ = await told.elements(count: 4)
        #expect(life.isOver && !other.isOver)
        journal.commit(scene: life, changes: [Self.change(4)]) { told.record("a 4 \($0.isLost)") }
        // It is there again: another life.
        journal.commit(scene: SceneLife("a"), changes: [Self.change(5)]) { told.record("a 5 \($0.isStored)") }
        #expect(
            await told.elements(count: 6) == [
                "a 2 true", "a 3 true", "b 2 true", "b 3 true", "a 4 true", "a 5 true",
            ])
        #expect(store.commits.last == [Self.change(5)] && store.commits.count == 3)
        #expect(journal.failure == nil && takeovers.elements.isEmpty)
        await finish(journal)
        #expect(log.elements == ["1 scene can't go on at this server: elsewhere"])
    }

    @Test func `a scene is released after its commits, once, and its life is over`() async throws {
        let store = ScriptedStore()
        let journal = try journal(store)
        commit(1...2, to: journal)
        for _ in 1...2 { journal.release(scene: life) }
        commit(3...3, to: journal)
        await expect(1...3) { $0 < 3 }
        #expect(store.releases == ["a"] && store.commits.flatMap(\.self) == [Self.change(1), Self.change(2)])
        await finish(journal)
    }

    @Test func `an expiry goes in steps, between which what has come meanwhile is stored, and is logged once`()
        async throws
    {
        let (begun, gate, swept) = (Gate(), Gate(), Gate())
        let store = ScriptedStore(onSweep: { step in
            if step == 1 {
                begun.open()
                gate.block()
            }
            if step == 3 { swept.open() }
        })
        let journal = try journal(store)
        journal.sweep(unusedFor: .seconds(7))
        await begun.wait()
        let (outcomes, steps) = (outcomes, Recorder<Int>())
        journal.commit(scene: life, changes: [Self.change(1)]) {
            steps.record(store.sweeps.count)
            outcomes.record(Outcome(number: 1, isStored: $0.isStored))
        }
        gate.open()
        await expect(1...1) { _ in true }
        await swept.wait()
        #expect(steps.elements == [1])
        await finish(journal)
        #expect(store.sweeps == [.seconds(7), .seconds(7), .seconds(7)])
        #expect(log.elements == ["201 stored sessions that nobody came back to were removed (storedTime)"])
    }

    @Test func `the time is the one that it was given`() async throws {
        let journal = try journal(ScriptedStore())
        #expect(journal.time == 5)
        await finish(journal)
    }
}
