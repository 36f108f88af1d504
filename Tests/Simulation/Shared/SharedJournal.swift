import Sessions
import Transport

/// The journal of one life of a server, in virtual time: what `Journal` and `RedisStore` do in a thread and over a connection
/// is done in steps between which time passes.
final class SharedJournal: SessionJournal {
    let leaseTime: Duration
    private let worker: LoopBound<JournalWorker>

    init(_ worker: JournalWorker, leaseTime: Duration, loop: EventLoop) {
        self.worker = LoopBound(worker, loop: loop)
        self.leaseTime = leaseTime
    }

    var failure: StoreError? { worker.value.failure }
    var time: Int64 { worker.value.time }
    var counts: StoreCounts { StoreCounts() }

    func commit(scene: SceneLife, changes: [StoredChange], then: @escaping StoreAction) {
        worker.value.add(.commit(.init(life: scene, changes: changes, then: then)))
    }

    func release(scene: SceneLife) {
        worker.value.add(.release(scene))
    }

    func whenLapsed(_ action: @escaping @Sendable () -> Void) {
        worker.value.onLapse = action
    }

    func leave() {
        worker.value.add(.leave)
    }

    func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void) {
        worker.value.add(.load(query, then: then))
    }

    func sweep(unusedFor time: Duration) {}
}

/// One thing after another. Of a server that was killed nothing comes back; of one that is paused nothing goes on.
///
/// Confined to the loop.
final class JournalWorker {
    struct Commit {
        let life: SceneLife
        let changes: [StoredChange]
        let then: StoreAction
    }

    enum Work {
        case commit(Commit)
        case load(StoreQuery, then: (Result<StoredScene?, StoreError>) -> Void)
        case release(SceneLife)
        case leave
    }

    /// The commits of one scene, which are stored together.
    private struct Group {
        let life: SceneLife
        var commits: [Commit]

        var changes: [StoredChange] { commits.flatMap(\.changes) }
        var makesScene: Bool { changes.contains { if case .addScene = $0 { true } else { false } } }
    }

    /// A scene that this server has.
    private struct Hold {
        let fence: Int
        var commit: Int

        /// Of one that isn't there, before the commit that makes it, and of any other that this server hasn't got.
        static let new = Hold(fence: 1, commit: 0)
        static let unheld = Hold(fence: 0, commit: -1)
    }

    private static let retryDelay = Duration.milliseconds(100)

    private let world: SharedWorld
    private let place: SharedPlace
    private let holder: SceneHolder
    private var queue: [Work] = []
    private var isBusy = false
    private var isDead = false
    private var held: [String: Hold] = [:]
    private var renewed: Duration
    private var hasLeft = false
    private var hasLapsed = false
    private(set) var failure: StoreError?
    var onLapse: () -> Void = {}

    init(_ world: SharedWorld, _ place: SharedPlace, _ holder: SceneHolder) {
        (self.world, self.place, self.holder) = (world, place, holder)
        renewed = world.now
        _ = world.store.renew(holder, until: world.now + world.leaseTime, now: world.now)
        renewLater()
    }

    var time: Int64 { 1_000_000 + world.now.components.seconds }

    func add(_ work: Work) {
        guard !isDead else { return }
        queue.append(work)
        guard !isBusy else { return }
        isBusy = true
        world.after(.zero) { self.next() }
    }

    /// Nothing of this life is stored or heard of any more, but for what is on its way to the store.
    func die() {
        isDead = true
        (queue, onLapse) = ([], {})
    }

    private func next() {
        guard !isDead else { return }
        if place.isPaused { return place.onResume { self.next() } }
        if hasLapsed {
            hasLapsed = false
            world.note("\(holder.server)'s lease had run out")
            onLapse()
        }
        guard !queue.isEmpty else {
            isBusy = false
            return
        }
        switch queue.removeFirst() {
        case .commit(let first): commit(takeBatch(first))
        case .load(let query, let then): load(query, then)
        case .release(let life): release(life)
        case .leave:
            hasLeft = true
            call { [holder] in
                $0.leave(holder.server)
            } then: { [self] _ in
                next()
            }
        }
    }

    private func takeBatch(_ first: Commit) -> [Commit] {
        var batch = [first]
        while case .commit(let commit)? = queue.first {
            batch.append(commit)
            queue.removeFirst()
        }
        return batch
    }

    /// - Parameter then: called with nil where the store can't be reached, or its answer was lost.
    private func call<T>(_ work: @escaping (SharedStore) -> T, then: @escaping (T?) -> Void) {
        world.after(world.storeDelay) { [self] in
            let answer = world.isStoreAway ? nil : work(world.store)
            let isLost = world.losesAnswer
            world.after(isLost ? world.lossTime : world.storeDelay) { [self] in hear(isLost ? nil : answer, then) }
        }
    }

    private func hear<T>(_ answer: T?, _ then: @escaping (T?) -> Void) {
        guard !isDead else { return }
        if place.isPaused { return place.onResume { self.hear(answer, then) } }
        then(answer)
    }
}

// Its lease.
extension JournalWorker {
    private func renewLater() {
        world.after(min(.seconds(1), world.leaseTime / 3)) { [self] in
            guard !isDead, !hasLeft else { return }
            renewLater()
            guard !isBusy, !place.isPaused else { return }
            isBusy = true
            renew { self.next() }
        }
    }

    private func renew(then: @escaping () -> Void) {
        let (world, holder) = (world, holder)
        call { store in
            store.renew(holder, until: world.now + world.leaseTime, now: world.now)
        } then: { [self] wasNew in
            if let wasNew {
                renewed = world.now
                if wasNew { hasLapsed = true }
            }
            then()
        }
    }

    /// Before other calls, of which so many may come that there is no time to renew.
    private func renewIfNeeded(then: @escaping (_ isReached: Bool) -> Void) {
        guard !hasLeft, world.now - renewed > world.leaseTime / 3 else { return then(true) }
        let before = renewed
        renew { [self] in then(renewed != before) }
    }
}

// Writing.
extension JournalWorker {
    private func commit(_ batch: [Commit]) {
        var groups: [Group] = []
        for commit in batch {
            if commit.life.isOver {
                commit.then(.lost("the scene has left this server"))
            } else if commit.changes.isEmpty, !groups.contains(where: { $0.life === commit.life }) {
                commit.then(.stored)
            } else if let index = groups.firstIndex(where: { $0.life === commit.life }) {
                groups[index].commits.append(commit)
            } else {
                groups.append(Group(life: commit.life, commits: [commit]))
            }
        }
        if world.defect == .toldBeforeStored {
            for commit in groups.flatMap(\.commits) { commit.then(.stored) }
        }
        attempt(groups)
    }

    private func attempt(_ groups: [Group]) {
        guard !groups.isEmpty else { return next() }
        renewIfNeeded { [self] isReached in
            guard isReached else { return retry(groups) }
            let sendings = groups.map { group in
                let hold = held[group.life.key] ?? (group.makesScene ? .new : .unheld)
                return SharedStore.Sending(
                    root: group.life.key, fence: hold.fence, number: hold.commit + 1, changes: group.changes)
            }
            call { [server = holder.server] store in
                sendings.map { store.commit($0, of: server) }
            } then: { outcomes in
                guard let outcomes else { return self.retry(groups) }
                self.failure = nil
                self.settle(groups, sendings, outcomes)
            }
        }
    }

    private func retry(_ groups: [Group]) {
        if failure == nil { world.note("\(holder.server) can't reach its store") }
        failure = .unavailable("the store is away")
        world.after(Self.retryDelay) { [self] in
            guard !isDead else { return }
            if place.isPaused { return place.onResume { self.attempt(groups) } }
            attempt(groups)
        }
    }

    private func settle(_ groups: [Group], _ sendings: [SharedStore.Sending], _ outcomes: [StoreOutcome]) {
        for (sending, outcome) in zip(sendings, outcomes) {
            switch outcome {
            case .stored where sending.fence > 0:
                held[sending.root] = Hold(fence: sending.fence, commit: sending.number)
            case .lost: held[sending.root] = nil
            case .stored: break
            case .refused(let reason): world.didRefuse("\(holder.server): \(reason)")
            }
        }
        for (group, outcome) in zip(groups, outcomes) {
            if outcome.isLost { group.life.end() }
            if !outcome.isStored { world.note("\(holder.server) stores nothing of \(group.life.key): \(outcome)") }
            // They were told before.
            if world.defect == .toldBeforeStored, outcome.isStored { continue }
            for commit in group.commits {
                commit.then(commit.changes.isEmpty && !outcome.isLost ? .stored : outcome)
            }
        }
        next()
    }

    private func release(_ life: SceneLife) {
        guard !life.isOver else { return next() }
        life.end()
        guard failure == nil, let hold = held.removeValue(forKey: life.key) else { return next() }
        world.note("\(holder.server) gives \(life.key) up")
        call { [server = holder.server] in
            $0.release(life.key, server, fence: hold.fence)
        } then: { [self] _ in
            next()
        }
    }
}

// Reading.
extension JournalWorker {
    private func load(_ query: StoreQuery, _ then: @escaping (Result<StoredScene?, StoreError>) -> Void) {
        let finish = { [self] (result: Result<StoredScene?, StoreError>) in
            then(result)
            next()
        }
        renewIfNeeded { [self] isReached in
            guard isReached else { return finish(.failure(.unavailable("the store is away"))) }
            switch query {
            case .owner(let scene): checkOwner(scene, finish)
            case .session(let key): claim(key, finish)
            case .opening(let once):
                call {
                    $0.root(ofOpening: once)
                } then: { [self] found in
                    switch found {
                    case nil: finish(.failure(.unavailable("the store is away")))
                    case .some(nil): finish(.success(nil))
                    case .some(let key?): claim(key, finish)
                    }
                }
            }
        }
    }

    private func checkOwner(_ scene: String, _ then: @escaping (Result<StoredScene?, StoreError>) -> Void) {
        guard let hold = held[scene] else { return then(.failure(.lost("another server has taken it"))) }
        call { [server = holder.server] store in
            store.hasScene(scene, server, fence: hold.fence, commit: hold.commit)
        } then: { hasScene in
            switch hasScene {
            case nil: then(.failure(.unavailable("the store is away")))
            case true?: then(.success(nil))
            case false?: then(.failure(.lost("another server has taken it")))
            }
        }
    }

    private func claim(_ key: String, _ then: @escaping (Result<StoredScene?, StoreError>) -> Void) {
        let world = world
        call { [server = holder.server] in
            $0.claim(key, for: server, now: world.now)
        } then: { [self] claim in
            switch claim {
            case nil: then(.failure(.unavailable("the store is away")))
            case .unknown?: then(.success(nil))
            case .held(let holder)?: then(.failure(.held(holder)))
            case .taken(let scene, let fence, let commit)?:
                let root = scene.header.key
                world.note("\(holder.server) reads \(root), under \(fence)")
                // One that is here already has its number from its commits.
                if held[root]?.fence != fence { held[root] = Hold(fence: fence, commit: commit) }
                then(.success(scene))
            }
        }
    }
}
