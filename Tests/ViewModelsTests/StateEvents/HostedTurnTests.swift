import Synchronization
import TestSupport
import Testing
import ViewModels

/// On the one thread of a server's loop, a handler that needn't wait is done before the loop waits for anything else.
@Suite(.inTurn) struct HostedTurnTests {
    private let loop = Loop()
    private let seen = Recorder<String>()

    @Test func `changed state is read on the executor of the handler, and nowhere else`() async throws {
        let model = ListActor([], atStart: nil)
        let events = ChangeEvents(model)
        let subscription = events.output.subscribe { [seen] in seen.record("\($0.state)") }
        try await events.start()
        handle { try await events.handle(event: .addTwice(7)) }
        while model.added.elements.count < 2 { await loop.turn() }
        // It would have been read by now if the loop ran.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(seen.elements == ["[]"])
        while loop.isBusy { await loop.turn() }
        #expect(seen.elements == ["[]", "[7, 7]", "handled"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a handler of an observable view model is done in one go, with all that it set`() async throws {
        let events = PropertyEvents(Counter())
        let subscription = events.output.subscribe { [seen] in seen.record("\($0.value)") }
        try await events.start()
        handle { try await events.handle(event: ()) }
        while loop.isBusy { await loop.turn() }
        #expect(seen.elements == ["0", "1", "2", "handled"])
        withExtendedLifetime(subscription) {}
    }

    private func handle(_ body: @escaping @Sendable () async throws -> Void) {
        Task.detached(executorPreference: loop) { [seen] in
            try await body()
            seen.record("handled")
        }
    }
}

private actor Counter: ObservableViewModel {
    @Observed var count = 0

    func handle(event: Void) {
        count += 1
        count += 1
    }
}

/// Runs its jobs when the test says so.
private final class Loop: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    var isBusy: Bool { jobs.withLock { !$0.isEmpty } }

    /// Runs what waits now.
    func turn() async {
        let jobs = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        await onThread { for job in jobs { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
