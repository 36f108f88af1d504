import TestSupport
import Testing

@testable import Sessions

@Suite struct HandlerQueueTests {
    private var queue = HandlerQueue()

    private func job() -> ViewEventJob { ViewEventJob(handle: {}, complete: { _ in }) }

    @Test mutating func `one runs at a time, in order`() {
        let ids = (0..<3).map { _ in queue.append(job()) }
        #expect(queue.waitingCount == 3)
        #expect(startNext() == ids[0])
        #expect(startNext() == nil)
        #expect(finish(ids[0]) == ids[0])
        #expect(startNext() == ids[1])
        #expect(queue.waitingCount == 1)
    }

    @Test mutating func `only what runs can finish, and once`() {
        let ids = (0..<2).map { _ in queue.append(job()) }
        _ = queue.startNext()
        #expect(finish(ids[1]) == nil)
        #expect(finish(ids[0]) == ids[0])
        #expect(finish(ids[0]) == nil)
    }

    @Test mutating func `what waits is cancelled out of the queue`() {
        let ids = (0..<3).map { _ in queue.append(job()) }
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

    @Test mutating func `what runs is cancelled when its task is known, before or after`() async {
        let id = queue.append(job())
        _ = queue.startNext()
        guard case .running(nil) = queue.cancel(id) else {
            Issue.record("not running")
            return
        }
        let task = Task {}
        #expect(note(task, id))
        guard case .running(task) = queue.cancel(id) else {
            Issue.record("the task isn't known")
            return
        }
        #expect(queue.running?.isCancelled == true)
        await task.value
    }

    @Test mutating func `a task whose event wasn't cancelled or has finished isn't cancelled`() async {
        let id = queue.append(job())
        _ = queue.startNext()
        let task = Task {}
        #expect(!note(task, id))
        _ = queue.finish(id)
        #expect(!note(task, id))
        await task.value
    }

    @Test mutating func `a task that becomes known after the end is cancelled`() async {
        let id = queue.append(job())
        _ = queue.startNext()
        _ = queue.removeAll()
        let task = Task {}
        #expect(note(task, id))
        await task.value
    }

    @Test mutating func `what is finished can't be cancelled`() {
        let id = queue.append(job())
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
        for number in 0..<3 { _ = queue.append(ViewEventJob(handle: {}, complete: { _ in order.record(number) })) }
        let first = startNext()
        let (running, jobs) = queue.removeAll()
        for job in jobs { job.finish(.sessionEnded) }
        #expect(running?.id == first)
        #expect(order.elements == [0, 1, 2])
        #expect(startNext() == nil)
        #expect(first.map { finish($0) } == .some(nil))
    }

    private mutating func startNext() -> Int? { queue.startNext()?.id }
    private mutating func finish(_ id: Int) -> Int? { queue.finish(id)?.id }
    private mutating func note(_ task: Task<Void, Never>, _ id: Int) -> Bool { queue.note(task, running: id) }
}
