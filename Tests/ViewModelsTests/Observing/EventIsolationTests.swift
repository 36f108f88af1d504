import Glibc
import TestSupport
import Testing
import ViewModels

/// Where handlers are called, and when.
@Suite(.inTurn) struct EventIsolationTests {
    private let event = Event<Int>()
    private let seen = Recorder<String>()

    @Test func `a handler without isolation is called on the thread that raises, wherever that is`() async {
        let owner = ThreadNoter()
        event.subscribe(owner) { owner, _ in owner.note() }
        let raise: @Sendable () -> Bool = { [event] in
            let count = owner.threads.elements.count
            event.raise(1)
            return owner.threads.elements.count == count + 1 && owner.threads.elements.last == UInt(pthread_self())
        }
        #expect(raise())
        #expect(await Task.detached { raise() }.value)
        #expect(await MainActor.run { raise() })
        #expect(await Place().run(raise))
        #expect(await Task(executorPreference: ThreadPerJob()) { raise() }.value)
        let onOwnThread = Recorder<Bool>()
        await onThread { onOwnThread.record(raise()) }
        #expect(onOwnThread.elements == [true])
    }

    @Test func `a closure in a main actor's View is called there, after raise has returned`() async {
        let view = await Label(seen)
        await view.follow(event)
        await MainActor.run {
            event.raise(1)
            event.raise(2)
            #expect(seen.elements.isEmpty)
        }
        #expect(await seen.elements(count: 2) == ["label 1", "label 2"])
        await onThread { [event] in event.raise(3) }
        #expect(await seen.elements(count: 3).last == "label 3")
        withExtendedLifetime(view) {}
    }

    @Test func `a handler of an actor is called in its isolation, and doesn't keep it`() async {
        weak var gone: Counter?
        do {
            let counter = Counter(seen)
            gone = counter
            await counter.follow(event)
            event.raise(1)
            event.raise(2)
            #expect(await seen.elements(count: 2) == ["sum 1", "sum 3"])
            withExtendedLifetime(counter) {}
        }
        // The call that came last may let go of it a moment later.
        await until { gone == nil }
        event.raise(3)
        #expect(seen.elements.count == 2)
    }

    @Test func `handlers with isolation are called one at a time, raise by raise, in order of subscription`() async {
        let (label, counter, other) = (await Label(seen), Counter(seen), await Label(seen))
        await label.follow(event)
        await counter.follow(event)
        await other.follow(event)
        for number in 1...100 { event.raise(number) }
        var sum = 0
        let expected = (1...100).flatMap { number in
            sum += number
            return ["label \(number)", "sum \(sum)", "label \(number)"]
        }
        #expect(await seen.elements(count: 300) == expected)
        withExtendedLifetime((label, counter, other)) {}
    }

    @Test func `who unsubscribes while its call waits isn't called`() async {
        let (before, label, after) = (Counter(seen), await Label(seen), Counter(seen))
        await before.follow(event)
        await label.follow(event)
        await after.follow(event)
        await MainActor.run {
            event.raise(1)
            // Until the label's call is next, and waits for the main actor.
            while seen.elements.isEmpty { sched_yield() }
            for _ in 0..<1_000 { sched_yield() }
            event.unsubscribe(label)
        }
        #expect(await seen.elements(count: 2) == ["sum 1", "sum 1"])
        withExtendedLifetime((before, label, after)) {}
    }

    @Test func `an owner that ends while its call waits isn't called, and isn't kept by it`() async {
        let other = Counter(seen)
        await MainActor.run {
            weak var gone: Label?
            do {
                let label = Label(seen)
                gone = label
                label.follow(event)
                event.raise(1)
            }
            #expect(gone == nil)
        }
        await other.follow(event)
        event.raise(2)
        #expect(await seen.elements(count: 1) == ["sum 2"])
        withExtendedLifetime(other) {}
    }

    @Test func `a handler that was replaced while its call waits isn't called`() async {
        let label = await Label(seen)
        await label.follow(event)
        await MainActor.run {
            event.raise(1)
            label.follow(event)
            event.raise(2)
        }
        #expect(await seen.elements(count: 1) == ["label 2"])
        withExtendedLifetime(label) {}
    }

    @Test func `an event without arguments keeps to the same places`() async {
        let event = Event<Void>()
        let (label, counter, owner) = (await Label(seen), Counter(seen), Owner("plain", seen))
        await label.follow(event)
        await counter.follow(event)
        event.subscribe(owner) { $0.record("called") }
        await MainActor.run {
            event.raise()
            #expect(seen.elements == ["plain called"])
        }
        #expect(await seen.elements(count: 3) == ["plain called", "label called", "sum called"])
        withExtendedLifetime((label, counter, owner)) {}
    }

    @Test func `handlers with isolation don't see the progress of whoever raised`() async {
        let label = await Label(seen)
        await label.follow(event)
        WorkDoneProgress.$current.withValue(WorkDoneProgress { _ in }) { event.raise(1) }
        #expect(await seen.elements(count: 1) == ["label 1"])
        withExtendedLifetime(label) {}
    }
}

@MainActor private final class Label {
    private let seen: Recorder<String>
    /// Touched by handlers: only the main actor may.
    private var texts: [String] = []

    init(_ seen: Recorder<String>) { self.seen = seen }

    func follow(_ event: Event<Int>) {
        event.subscribe(self) { this, number in
            MainActor.assertIsolated()
            #expect(WorkDoneProgress.current == nil)
            this.texts.append("label \(number)")
            this.texts.last.map(this.seen.record)
        }
    }

    func follow(_ event: Event<Void>) {
        event.subscribe(self) { this in
            MainActor.assertIsolated()
            this.seen.record("label called")
        }
    }
}

private actor Counter {
    private let seen: Recorder<String>
    private var sum = 0

    init(_ seen: Recorder<String>) { self.seen = seen }

    func follow(_ event: Event<Int>) {
        event.subscribe(self) { this, number in
            this.sum += number
            this.seen.record("sum \(this.sum)")
        }
    }

    func follow(_ event: Event<Void>) {
        event.subscribe(self) { this in
            this.assertIsolated()
            this.seen.record("sum called")
        }
    }
}

private actor Place {
    func run(_ body: @Sendable () -> Bool) -> Bool { body() }
}

private final class ThreadNoter: Sendable {
    let threads = Recorder<UInt>()

    func note() { threads.record(UInt(pthread_self())) }
}

/// Runs each job on a new thread.
private final class ThreadPerJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Task.detached { [self] in
            await onThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
