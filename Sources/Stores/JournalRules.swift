import Sessions

/// The rules for what a journal does next, and what follows from an answer of its store. A value without side effects,
/// confined to whoever runs the `Journal`.
///
/// Everything that has come while the store worked is done in order. Consecutive commits are stored together, those of each
/// scene as one.
struct JournalRules {
    enum Work: Sendable {
        case commit(Commit)
        case load(StoreQuery, then: @Sendable (Result<StoredScene?, StoreError>) -> Void)
        /// Earlier steps have listed the scenes of `listed`; the next one begins at `place`.
        case list(SceneFilter, place: Int, listed: [ListedScene], then: Listing)
        case release(SceneLife)
        case leave
        /// Earlier steps have removed `removed` scenes.
        case sweep(unusedFor: Duration, removed: Int)
        case finish(then: @Sendable () -> Void)
    }

    typealias Listing = @Sendable (Result<[ListedScene], StoreError>) -> Void

    struct Commit: Sendable {
        let life: SceneLife
        let changes: [StoredChange]
        let then: StoreCompletion
    }

    /// An action that follows from an answer. Actions are done in order, with no lock held.
    enum Action {
        case tell(StoreCompletion, StoreOutcome)
        case give(@Sendable (Result<StoredScene?, StoreError>) -> Void, Result<StoredScene?, StoreError>)
        case giveList(Listing, Result<[ListedScene], StoreError>)
        case finish(@Sendable () -> Void)
        case queue(Work)
        case log(String)
        case takeOver(String)
        case lapse(StoreLapse)
    }

    /// The commits of one scene, which are stored together.
    private struct Group {
        let life: SceneLife
        var commits: [Commit]
        /// The outcome of the commits; nil while they are to be stored.
        var outcome: StoreOutcome?

        var sceneCommit: SceneCommit { SceneCommit(scene: life.key, changes: commits.flatMap(\.changes)) }
    }

    /// A batch that is being stored.
    private struct Storing {
        /// The groups without settled outcomes, in the order in which their callbacks are called.
        var groups: ArraySlice<Group>
        /// How many of the first groups go to the store in one call, which is repeated until the store answers.
        var sentCount: Int
        /// Whether the store couldn't be reached just now, so that the next call waits.
        var pauses = false
        /// The outcomes of the whole batch.
        var outcomes: [StoreOutcome] = []

        /// Sets the outcomes of the groups that were sent.
        mutating func settle(_ found: [StoreOutcome]) {
            for (place, index) in zip(groups.indices, 0..<sentCount) {
                groups[place].outcome = index < found.count ? found[index] : .refused("the store says nothing of it")
            }
            if outcomes.isEmpty { outcomes = found }
            sentCount = 0
        }
    }

    private enum Current {
        case nothing
        case storing(Storing)
        case loading(then: @Sendable (Result<StoredScene?, StoreError>) -> Void)
        case listing(SceneFilter, listed: [ListedScene], then: Listing)
        case sweeping(unusedFor: Duration, removed: Int)
        case finishing(then: @Sendable () -> Void)
        case ended
    }

    private var taken: ArraySlice<Work> = []
    private var current = Current.nothing
    private var mustRenew = false
    private(set) var failure: StoreError?
    private(set) var counts = StoreCounts()
    /// Whether the server ends: what can't be stored at once is given up.
    var isFinishing = false

    mutating func take(_ work: [Work]) {
        taken += work
    }

    /// Notes that there was no work for a while.
    mutating func renew() {
        mustRenew = true
    }

    /// Whether nothing more can be stored: another server has the store, or this one ends while the store can't be reached.
    private var isOver: Bool {
        switch failure {
        case nil: false
        case .takenOver: true
        default: isFinishing
        }
    }

    /// Returns the next step; nil when all work that was taken is done.
    mutating func next(_ actions: inout [Action]) -> JournalStep? {
        while true {
            if case .ended = current { return .end }
            if case .storing(let storing) = current {
                // `storing` must be the only owner of its groups.
                current = .nothing
                if let step = goOn(storing, &actions) { return step }
            }
            guard let work = taken.popFirst() else { return nil }
            if let step = begin(work, &actions) { return step }
        }
    }

    /// Returns the step where no work is left.
    mutating func rest() -> JournalStep {
        defer { mustRenew = false }
        if case .takenOver? = failure { return .wait }
        return mustRenew ? .call(.renew) : .wait
    }

    private mutating func begin(_ work: Work, _ actions: inout [Action]) -> JournalStep? {
        switch work {
        case .commit(let first): begin(takeBatch(first), &actions)
        case .load(let query, let then):
            if case .takenOver(let reason)? = failure {
                actions.append(.give(then, .failure(.takenOver(reason))))
                return nil
            }
            if case .owner = query {} else { counts.loads += 1 }
            current = .loading(then: then)
            return .call(.load(query))
        case .list(let filter, let place, let listed, let then):
            if case .takenOver(let reason)? = failure {
                actions.append(.giveList(then, .failure(.takenOver(reason))))
                return nil
            }
            current = .listing(filter, listed: listed, then: then)
            return .call(.list(filter, from: place))
        case .release(let life):
            guard !life.isOver else { return nil }
            life.end()
            return failure == nil ? .call(.release(scene: life.key)) : nil
        // Where this fails, the lease runs out soon.
        case .leave: return failure == nil ? .call(.leave) : nil
        case .sweep(let time, let removed):
            guard failure == nil else { return nil }
            current = .sweeping(unusedFor: time, removed: removed)
            return .call(.sweep(unusedFor: time))
        case .finish(let then):
            current = .finishing(then: then)
            return .call(.close)
        }
        return nil
    }

    private mutating func takeBatch(_ first: Commit) -> [Commit] {
        var batch = [first]
        while case .commit(let commit)? = taken.first {
            batch.append(commit)
            taken.removeFirst()
        }
        return batch
    }
}

// Storing.
extension JournalRules {
    private static let leftReason = "the scene has left this server"

    private mutating func begin(_ batch: [Commit], _ actions: inout [Action]) {
        counts.turns += batch.count
        var groups: [Group] = []
        var places: [ObjectIdentifier: Int] = [:]
        for commit in batch {
            if commit.life.isOver {
                actions.append(.tell(commit.then, .lost(Self.leftReason)))
            } else if let place = places[ObjectIdentifier(commit.life)] {
                groups[place].commits.append(commit)
            } else if commit.changes.isEmpty {
                actions.append(.tell(commit.then, .stored))
            } else {
                places[ObjectIdentifier(commit.life)] = groups.count
                groups.append(Group(life: commit.life, commits: [commit]))
            }
        }
        if groups.isEmpty { return }
        current = .storing(Storing(groups: groups[...], sentCount: groups.count))
    }

    /// Goes on with a batch. Returns nil when all of it has an outcome.
    private mutating func goOn(_ storing: Storing, _ actions: inout [Action]) -> JournalStep? {
        var storing = storing
        if storing.pauses {
            storing.pauses = false
            current = .storing(storing)
            return .pause
        }
        while true {
            if storing.sentCount > 0 {
                guard isOver else {
                    let commits = storing.groups.prefix(storing.sentCount).map(\.sceneCommit)
                    current = .storing(storing)
                    return .call(.commit(commits))
                }
                let reason = failure?.reason ?? "the server ends"
                storing.settle((0..<storing.sentCount).map { _ in .refused(reason) })
            }
            guard let group = storing.groups.first else {
                logFailures(storing.outcomes, &actions)
                return nil
            }
            guard let outcome = group.outcome ?? knownOutcome(of: group) else {
                storing.sentCount = 1
                continue
            }
            storing.groups.removeFirst()
            let single = settle(group, outcome, &actions)
            if !single.isEmpty { storing.groups.insert(contentsOf: single, at: storing.groups.startIndex) }
        }
    }

    /// Returns the outcome of a group that needs no call of the store; nil where the store must be called.
    private func knownOutcome(of group: Group) -> StoreOutcome? {
        if group.life.isOver { return .lost(Self.leftReason) }
        return group.commits.allSatisfy { $0.changes.isEmpty } ? .stored : nil
    }

    /// Passes the outcome of a group on. Returns the commits that are to be stored one by one after that, so that one which
    /// can't be stored harms no other.
    private func settle(_ group: Group, _ outcome: StoreOutcome, _ actions: inout [Action]) -> [Group] {
        if outcome.isLost { group.life.end() }
        if case .refused = outcome, group.commits.count > 1, !isOver {
            return group.commits.map { Group(life: group.life, commits: [$0]) }
        }
        for commit in group.commits {
            actions.append(.tell(commit.then, commit.changes.isEmpty && !outcome.isLost ? .stored : outcome))
        }
        return []
    }

    /// Logs the failures of a batch in at most two lines, as a failover of the store affects many scenes.
    private func logFailures(_ outcomes: [StoreOutcome], _ actions: inout [Action]) {
        var (lost, refused): ([String], [String]) = ([], [])
        for outcome in outcomes {
            switch outcome {
            case .stored: break
            case .lost(let reason): lost.append(reason)
            case .refused(let reason): refused.append(reason)
            }
        }
        if let reason = lost.first {
            let scenes = lost.count == 1 ? "scene" : "scenes"
            actions.append(.log("\(lost.count) \(scenes) can't go on at this server: \(reason)"))
        }
        if let reason = refused.first, !isOver {
            actions.append(.log("changes of sessions can't be stored: \(reason)"))
        }
    }
}

// What the store has answered.
extension JournalRules {
    mutating func take(_ answer: JournalAnswer, _ actions: inout [Action]) {
        switch answer.content {
        case .outcomes(let result): take(result, after: answer.time, &actions)
        case .scene(let result): take(result, &actions)
        case .listed(let result): take(result, &actions)
        case .swept(let result): take(result, &actions)
        case .renewed(let error):
            switch error {
            case .takenOver?, .unavailable?, .inaccessible?: note(error, &actions)
            case nil: if failure != nil { note(nil, &actions) }
            // The other errors show at the next commit.
            case .unusable?, .held?, .lost?, .incomplete?: break
            }
        case .done:
            guard case .finishing(let then) = current else { break }
            current = .ended
            actions.append(.finish(then))
        }
        if let lapse = answer.lapse { actions.append(.lapse(lapse)) }
    }

    private mutating func take(
        _ result: Result<[StoreOutcome], StoreError>, after time: Duration, _ actions: inout [Action]
    ) {
        guard case .storing(var storing) = current else { return }
        switch result {
        case .success(let outcomes):
            note(nil, &actions)
            counts.add(commit: time)
            storing.settle(outcomes)
        case .failure(let error):
            switch error {
            case .unavailable, .inaccessible, .takenOver:
                note(error, &actions)
                storing.pauses = !isOver
            case .unusable, .held, .lost, .incomplete:
                storing.settle((0..<storing.sentCount).map { _ in .refused(error.reason) })
            }
        }
        current = .storing(storing)
    }

    private mutating func take(_ result: Result<StoredScene?, StoreError>, _ actions: inout [Action]) {
        guard case .loading(let then) = current else { return }
        current = .nothing
        if case .failure(let error) = result { noteUnread(error, &actions) }
        actions.append(.give(then, result))
    }

    private mutating func take(_ result: Result<SceneListing, StoreError>, _ actions: inout [Action]) {
        guard case .listing(var filter, let before, let then) = current else { return }
        current = .nothing
        switch result {
        case .success(let step):
            let known = Set(before.map(\.header.key))
            let new = step.scenes.filter { !known.contains($0.header.key) }
            filter.add(new)
            let listed = before + new
            guard let rest = step.rest, !filter.isFull else { return actions.append(.giveList(then, .success(listed))) }
            // After the work that has come meanwhile.
            actions.append(.queue(.list(filter, place: rest, listed: listed, then: then)))
        case .failure(let error):
            noteUnread(error, &actions)
            actions.append(.giveList(then, .failure(error)))
        }
    }

    /// Notes why something wasn't read.
    private mutating func noteUnread(_ error: StoreError, _ actions: inout [Action]) {
        switch error {
        // These are no fault of the store.
        case .held, .lost: break
        case .takenOver:
            note(error, &actions)
            counts.errors += 1
        case .unavailable, .inaccessible, .unusable, .incomplete: counts.errors += 1
        }
    }

    private mutating func take(_ result: Result<StoreSweep, StoreError>, _ actions: inout [Action]) {
        guard case .sweeping(let time, let before) = current else { return }
        current = .nothing
        switch result {
        case .success(let step):
            let removed = before + step.removed
            // After the work that has come meanwhile.
            if !step.isDone { return actions.append(.queue(.sweep(unusedFor: time, removed: removed))) }
            guard removed > 0 else { break }
            actions.append(.log("\(removed) stored sessions that nobody came back to were removed (storedTime)"))
        case .failure(let error):
            actions.append(.log("old sessions can't be removed from the store: \(error.reason)"))
        }
    }

    private mutating func note(_ error: StoreError?, _ actions: inout [Action]) {
        let before = failure
        failure = error
        if error != nil { counts.errors += 1 }
        switch (before, error) {
        case (nil, let error?): actions.append(.log("the store can't be used: \(error.reason)"))
        case (_?, nil): actions.append(.log("the store works again"))
        default: break
        }
        if case .takenOver(let reason)? = error {
            if case .takenOver? = before { return }
            actions.append(.takeOver(reason))
        }
    }
}
