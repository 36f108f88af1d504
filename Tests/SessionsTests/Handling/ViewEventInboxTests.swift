import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct HandlerQueueTests {
    private var queue = HandlerQueue()

    private var lastID = 0

    private mutating func append(_ job: ViewEventJob = ClosureJob(handle: {}, complete: { _ in })) -> Int {
        lastID += 1
        queue.append(job, lastID)
        return lastID
    }

    @Test mutating func `one runs at a time, in order`() {
        let ids = (0..<3).map { _ in append() }
        #expect(queue.waitingCount == 3)
        #expect(startNext() == ids[0])
        #expect(startNext() == nil)
        #expect(finish(ids[0]) == ids[0])
        #expect(startNext() == ids[1])
        #expect(queue.waitingCount == 1)
    }

    @Test mutating func `only what runs can finish, and once`() {
        let ids = (0..<2).map { _ in append() }
        _ = queue.startNext()
        #expect(finish(ids[1]) == nil)
        #expect(finish(ids[0]) == ids[0])
        #expect(finish(ids[0]) == nil)
    }

    @Test mutating func `an event that waits is cancelled out of the queue`() {
        let ids = (0..<3).map { _ in append() }
        _ = queue.startNext()
        guard case .removed = queue.cancel(ids[1]) else {
            Issue.record("not removed")
            return
        }
        guard case .none = queue.cancel(ids[1]) else {
            Issue.record("removed twice")
            return
        }
        _ = queue.finish(ids[0])
        #expect(startNext() == ids[2])
    }

    @Test mutating func `an event that runs is marked as cancelled, and stays until it is finished`() {
        let id = append()
        _ = queue.startNext()
        guard case .running = queue.cancel(id) else {
            Issue.record("not running")
            return
        }
        #expect(queue.running?.interruption == .cancelled)
        #expect(finish(id) == id)
    }

    @Test mutating func `a finished event can't be cancelled`() {
        let id = append()
        _ = queue.startNext()
        _ = queue.finish(id)
        for id in [id, HandlerQueue.noJob, 99] {
            guard case .none = queue.cancel(id) else {
                Issue.record("\(id) was cancelled")
                return
            }
        }
    }

    @Test mutating func `the end takes out all, what runs first`() {
        let order = Recorder<Int>()
        for number in 0..<3 { _ = append(ClosureJob(handle: {}, complete: { _ in order.record(number) })) }
        let first = startNext()
        let (isRunning, jobs) = queue.removeAll()
        for job in jobs { job.finish(.sessionEnded) }
        #expect(isRunning)
        #expect(order.elements == [0, 1, 2])
        #expect(startNext() == nil)
        #expect(first.map { finish($0) } == .some(nil))
    }

    private mutating func startNext() -> Int? { queue.startNext()?.id }
    private mutating func finish(_ id: Int) -> Int? { queue.finish(id)?.id }
}

@Suite(.inTurn) struct HandlerTaskTests {
    private var handlers = HandlerTask()

    private mutating func start(isBound: Bool = true) -> Int? { handlers.start(isBound: isBound) }

    @Test mutating func `it is started once, and again after its end`() {
        let first = start()
        #expect(first != nil)
        let again = start()
        #expect(again == nil)
        handlers.end()
        let second = start()
        #expect(second != nil && second != first)
    }

    @Test mutating func `a cancelled task takes nothing more; the next one does`() async throws {
        let first = try #require(start())
        let task = Task {}
        let mustCancel = handlers.note(task, number: first)
        #expect(!mustCancel)
        let cancelled = handlers.cancel()
        #expect(cancelled == task)
        #expect(handlers.isCancelled)
        handlers.end()
        _ = start()
        #expect(!handlers.isCancelled)
        await task.value
    }

    @Test mutating func `a task that becomes known after it was cancelled must be cancelled, also when another runs`()
        async throws
    {
        let first = try #require(start())
        let known = handlers.cancel()
        #expect(known == nil)
        let task = Task {}
        let mustCancel = handlers.note(task, number: first)
        #expect(mustCancel)
        handlers.end()
        let mustStillCancel = handlers.note(task, number: first)
        #expect(mustStillCancel)
        let second = try #require(start())
        let mustCancelNext = handlers.note(task, number: second)
        #expect(!mustCancelNext)
        await task.value
    }

    @Test mutating func `a task that was over before it was known is not kept`() async throws {
        let first = try #require(start())
        handlers.end()
        let task = Task {}
        let mustCancel = handlers.note(task, number: first)
        #expect(!mustCancel)
        _ = start()
        let kept = handlers.cancel()
        #expect(kept == nil)
        await task.value
    }

    @Test mutating func `a task that was started before the view model was there is outdated when it is`() {
        _ = start(isBound: false)
        #expect(!handlers.isOutdated(isBound: false))
        #expect(handlers.isOutdated(isBound: true))
    }

    @Test mutating func `one that waits is resumed once`() async {
        _ = start()
        #expect(!handlers.isWaiting)
        _ = await withUnsafeContinuation { continuation in
            handlers.wait(continuation)
            #expect(handlers.isWaiting)
            let waiting = handlers.resume()
            #expect(waiting != nil)
            let again = handlers.resume()
            #expect(again == nil)
            (waiting ?? continuation).resume(returning: ViewEventInbox.Step.end)
        }
        #expect(!handlers.isWaiting)
    }
}
