import TestSupport
import Testing

@testable import Sessions

@Suite struct HandlerTaskTests {
    private var handlers = HandlerTask()

    private mutating func start(isBound: Bool = true) -> Int? {
        guard case .start(let number) = handlers.wake(isBound: isBound) else { return nil }
        return number
    }

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
        await withUnsafeContinuation { continuation in
            handlers.wait(continuation)
            #expect(handlers.isWaiting)
            guard case .resume(let waiting) = handlers.wake(isBound: true) else {
                Issue.record("not resumed")
                return continuation.resume()
            }
            let again = start()
            #expect(again == nil)
            waiting.resume()
        }
        #expect(!handlers.isWaiting)
    }
}
