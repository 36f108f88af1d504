@testable import Sessions
import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct SceneCommitterTests {
    /// A scene whose root has failed is given up while turns of its other sessions are on their way. No other server need
    /// have it, so that these sessions' clients hear of the failure, where they would be sent away without a word.
    @Test(arguments: [nil, "orders failed"] as [String?])
    func `a commit that is lost, as its scene was given up after a failure, is refused`(failure: String?) {
        let journal = HeldJournal()
        let committer = SceneCommitter(journal: journal)
        let scene = Scene(
            context: SceneContext(registry: Registry(), maximumCount: 10) { _, _, _, _, _ in throw TestFailure() },
            committer: committer)
        let root = Session(
            key: "root", viewModelName: "orders", model: ScriptedModel(), scene: scene,
            executor: globalConcurrentExecutor)
        scene.begin(with: root)
        let outcomes = Recorder<StoreOutcome>()
        committer.note(.removeSession(key: "child"))
        committer.hand(nil, of: root) { outcomes.record($0) }
        committer.release(after: failure)
        #expect(outcomes.elements.isEmpty)
        journal.finishCommits(.lost("the scene has left this server"))
        #expect(outcomes.elements == [failure.map { .refused($0) } ?? .lost("the scene has left this server")])
        // A scene that is lost takes its sessions along.
        #expect(root.hasEnded == (failure == nil))
        root.end(.closed)
    }
}

/// A journal whose commits wait until the test says what has become of them.
private final class HeldJournal: SessionJournal {
    private let commits = Mutex<[StoreCompletion]>([])

    func finishCommits(_ outcome: StoreOutcome) {
        let held = commits.withLock { commits in
            defer { commits = [] }
            return commits
        }
        for commit in held { commit(outcome) }
    }

    func commit(scene: SceneLife, changes: [StoredChange], then: @escaping StoreCompletion) {
        commits.withLock { $0.append(then) }
    }

    func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void) {
        then(.success(nil))
    }

    func list(_ filter: SceneFilter, then: @escaping @Sendable (Result<[ListedScene], StoreError>) -> Void) {
        then(.success([]))
    }

    func release(scene: SceneLife) {}
    func whenLapsed(_ action: @escaping @Sendable () -> Void) {}
    func leave() {}
    func sweep(unusedFor time: Duration) {}
    var failure: StoreError? { nil }
    var leaseTime: Duration { .zero }
    var time: Int64 { 1_000 }
    var counts: StoreCounts { StoreCounts() }
}
