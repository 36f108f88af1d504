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

    @Test mutating func `what runs is marked as cancelled, and stays until it is finished`() {
        let id = queue.append(job())
        _ = queue.startNext()
        guard case .running = queue.cancel(id) else {
            Issue.record("not running")
            return
        }
        #expect(queue.running?.isCancelled == true)
        #expect(finish(id) == id)
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
