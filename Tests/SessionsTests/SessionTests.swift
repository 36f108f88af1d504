import Sessions
import Synchronization
import Testing
import TestSupport
import ViewModels

@Suite(.inTurn) struct SessionTests {
    @Test func `a session is ready before its view model starts`() async throws {
        let session = Session(
            model: ScriptedModel { session in
                session.append("before")
                session.modelIsReady()
                session.append("start")
            })
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        #expect(session.taken(view) == ["1 before", "2 start"])
        #expect(!session.hasEnded)
    }

    @Test func `a view model that can't be made fails the opening and ends the session`() async throws {
        let ends = Recorder<String>()
        let session = Session(model: ScriptedModel { _ in throw TestFailure() }, ends: ends)
        let viewer = TestViewer()
        _ = try session.attach(viewer, number: 1, client: nil)
        #expect(await session.opened() == ["failed: failed TestFailure()", "started"])
        #expect(session.hasEnded)
        #expect(ends.elements == ["key"])
        #expect(viewer.reports.elements.isEmpty)
    }

    @Test func `a view model that fails to start ends the session after its events`() async throws {
        let session = Session(
            model: ScriptedModel { session in
                session.modelIsReady()
                session.append("one")
                throw TestFailure()
            })
        let viewer = TestViewer()
        let view = try session.attach(viewer, number: 5, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        let delivery = session.take(view)
        #expect(delivery.texts == ["1 one"])
        #expect(delivery.end == .failed)
        #expect(viewer.reports.elements == ["5: test failed to start: TestFailure()"])
    }

    @Test func `a session that ended before it is opened makes no view model`() async {
        let makes = Recorder<Void>()
        let session = Session(model: ScriptedModel { _ in makes.record(()) })
        session.end(.closed)
        #expect(await session.opened() == ["failed: sessionEnded", "started"])
        #expect(makes.elements.isEmpty)
    }

    @Test func `a session that is closed while its view model is made fails the opening at once`() async {
        let isMaking = Gate()
        let mayGoOn = Gate()
        let session = Session(
            model: ScriptedModel { session in
                isMaking.open()
                await mayGoOn.wait()
                session.modelIsReady()
            })
        async let opened = session.opened()
        await isMaking.wait()
        session.end(.closed)
        #expect(await opened == ["failed: sessionEnded", "started"])
        mayGoOn.open()
    }

    @Test func `however many open it, its view model is made once, and all are told`() async throws {
        let makes = Recorder<Void>()
        let (isMaking, mayGoOn) = (Gate(), Gate())
        let session = Session(
            model: ScriptedModel { session in
                makes.record(())
                isMaking.open()
                await mayGoOn.wait()
                session.modelIsReady()
            })
        _ = try session.attach(TestViewer(), number: 1, client: nil)
        let steps = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await session.opened() } }
            await isMaking.wait()
            mayGoOn.open()
            return await group.reduce(into: [[String]]()) { $0.append($1) }
        }
        #expect(steps == Array(repeating: ["ready", "started"], count: 8))
        #expect(await session.opened() == ["ready", "started"])
        #expect(makes.elements.count == 1)
        #expect(!session.awaitsOpening)
        session.end(.closed)
        #expect(await session.opened() == ["failed: sessionEnded", "started"])
    }

    @Test func `an opening that is cancelled closes the session`() async {
        let isMaking = Gate()
        let steps = Recorder<String>()
        let session = Session(
            model: ScriptedModel { session in
                isMaking.open()
                try await ManualClock().sleep(for: .seconds(1))
            })
        let id = session.open(
            ready: { steps.record("ready") }, failed: { steps.record("failed: \($0.text)") },
            started: { steps.record("started") })
        await isMaking.wait()
        session.cancel(id)
        #expect(await steps.elements(count: 2) == ["failed: cancelled", "started"])
        #expect(session.hasEnded)
    }

    @Test func `view events wait until the view model has started`() async throws {
        let steps = Recorder<String>()
        let (isStarting, mayStart) = (Gate(), Gate())
        let session = Session(
            model: ScriptedModel { session in
                session.modelIsReady()
                isStarting.open()
                await mayStart.wait()
                steps.record("started")
            })
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        async let opened = session.opened()
        await isStarting.wait()
        let job = ClosureJob(handle: { steps.record("handled") }, complete: { steps.record($0.text) })
        _ = try session.submit(job, from: view, number: nil)
        mayStart.open()
        _ = await opened
        #expect(await steps.elements(count: 3) == ["started", "handled", "handled 0"])
    }

    @Test func `events from many tasks are numbered from 1 by one, and every view gets the same`() async throws {
        let session = Session()
        let viewers = (1...3).map { _ in TestViewer() }
        let views = try viewers.map { try session.attach($0, number: 1, client: nil).view }
        await withTaskGroup { group in
            for sender in 0..<8 {
                group.addTask { for index in 0..<1_000 { session.append("\(sender * 1_000 + index)") } }
            }
        }
        let all = session.taken(views[0])
        #expect(all.count == 8_000)
        let parts = all.map { $0.split(separator: " ").compactMap { Int($0) } }
        #expect(parts.map { $0[0] } == Array(1...8_000))
        #expect(parts.map { $0[1] }.sorted() == Array(0..<8_000))
        #expect(session.taken(views[1]) == all)
        #expect(session.taken(views[2]) == all)
        #expect(viewers.allSatisfy { $0.views.elements.count == 1 })
        #expect(session.summary == (8_000, 3))
    }

    @Test func `a view that takes while others send misses nothing`() async throws {
        let session = Session()
        let viewer = TestViewer()
        let view = try session.attach(viewer, number: 1, client: nil).view
        async let senders: Void = withTaskGroup { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<1_000 { session.append("x") } } }
        }
        var numbers: [Int] = []
        var rounds = 0
        while numbers.count < 4_000 {
            rounds += 1
            _ = await viewer.views.elements(count: rounds)
            var hasMore = true
            while hasMore {
                let delivery = session.take(view, maximumBytes: 50)
                numbers += delivery.events.map(\.number)
                hasMore = delivery.hasMore
            }
        }
        await senders
        #expect(numbers == Array(1...4_000))
    }

    @Test func `the end is told to every view, once, and to whoever made the session`() throws {
        let ends = Recorder<String>()
        let session = Session(ends: ends)
        let viewers = [TestViewer(), TestViewer()]
        let views = try viewers.map { try session.attach($0, number: 1, client: nil).view }
        session.end(.serverShutdown)
        session.end(.closed)
        #expect(ends.elements == ["key"])
        for (viewer, view) in zip(viewers, views) {
            #expect(viewer.views.elements == [1])
            #expect(session.take(view).end == .serverShutdown)
        }
        #expect(throws: SessionError.ended) { try session.attach(TestViewer(), number: 1, client: nil) }
    }

    @Test func `a report goes to every view by its own number`() throws {
        let session = Session()
        let viewers = [TestViewer(), TestViewer()]
        for (index, viewer) in viewers.enumerated() { _ = try session.attach(viewer, number: index + 1, client: nil) }
        session.report("hello")
        #expect(viewers.map(\.reports.elements) == [["1: hello"], ["2: hello"]])
    }

    @Test func `two sessions don't wait for each other`() async throws {
        let gate = Gate()
        let slow = Session()
        let fast = Session()
        let slowView = try slow.attach(TestViewer(), number: 1, client: nil).view
        let fastView = try fast.attach(TestViewer(), number: 2, client: nil).view
        let isRunning = Gate()
        async let slowOutcome = slow.outcome(from: slowView) {
            isRunning.open()
            await gate.wait()
        }
        await isRunning.wait()
        #expect(await fast.outcome(from: fastView) == "handled 0")
        gate.open()
        #expect(await slowOutcome == "handled 0")
    }

    @Test func `a session without views ends after the resume window`() async throws {
        let clock = ManualClock()
        let ends = Recorder<String>()
        let session = Session(limits: .with { $0.resumeWindow = .seconds(10) }, clock: clock, ends: ends)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        session.detach(view)
        await clock.sleepers(1)
        clock.advance(by: .seconds(9))
        #expect(!session.hasEnded)
        clock.advance(by: .seconds(1))
        #expect(await ends.elements(count: 1) == ["key"])
    }

    @Test func `a session doesn't end when a view comes back in time, and its window begins anew`() async throws {
        let clock = ManualClock()
        let ends = Recorder<String>()
        let session = Session(limits: .with { $0.resumeWindow = .seconds(10) }, clock: clock, ends: ends)
        let first = try session.attach(TestViewer(), number: 1, client: nil).view
        session.detach(first)
        await clock.sleepers(1)
        clock.advance(by: .seconds(9))
        let second = try session.attach(TestViewer(), number: 1, client: nil).view
        clock.advance(by: .seconds(100))
        #expect(!session.hasEnded)
        session.detach(second)
        await clock.sleepers(1)
        clock.advance(by: .seconds(9))
        #expect(!session.hasEnded)
        clock.advance(by: .seconds(1))
        #expect(await ends.elements(count: 1) == ["key"])
    }

    /// A session whose timers and handlers run when the test says so.
    private func stepping(_ clock: ManualClock, _ executor: StepExecutor) -> Session {
        Session(key: "key", viewModelName: "test", model: ScriptedModel(), executor: executor, clock: clock)
    }

    @Test func `a session with another view has no window`() throws {
        let (clock, executor) = (ManualClock(), StepExecutor())
        let session = stepping(clock, executor)
        let views = try (1...2).map { try session.attach(TestViewer(), number: $0, client: nil).view }
        session.detach(views[0])
        session.detach(views[0])
        executor.run()
        #expect(clock.sleeperCount == 0)
        #expect(!session.hasEnded)
    }

    @Test func `a view that comes back just as the window ends keeps the session, or is refused`() throws {
        for comesFirst in [true, false] {
            let (clock, executor) = (ManualClock(), StepExecutor())
            let session = stepping(clock, executor)
            session.detach(try session.attach(TestViewer(), number: 1, client: nil).view)
            executor.run()
            clock.advance(by: .seconds(1_000))
            if !comesFirst { executor.run() }
            let isBack = (try? session.attach(TestViewer(), number: 1, client: nil)) != nil
            executor.run()
            #expect(isBack == comesFirst)
            #expect(session.hasEnded != isBack)
        }
    }

    @Test func `a view that comes back just as the window ends, in any order, is refused or kept, never ended`()
        async throws
    {
        for _ in 0..<200 {
            let clock = ManualClock()
            let ends = Recorder<String>()
            let session = Session(clock: clock, ends: ends)
            session.detach(try session.attach(TestViewer(), number: 1, client: nil).view)
            await clock.sleepers(1)
            clock.advance(by: .seconds(1_000))
            let isBack = (try? session.attach(TestViewer(), number: 1, client: nil)) != nil
            // A session that has refused a view ends; one that has taken it doesn't, as far as can be seen.
            if isBack { await Task.yield() } else { _ = await ends.elements(count: 1) }
            #expect(session.hasEnded != isBack)
        }
    }

    @Test func `a view that comes back just as the window ends, and leaves, has a window of its own`() throws {
        let (clock, executor) = (ManualClock(), StepExecutor())
        let session = stepping(clock, executor)
        for _ in 0..<3 {
            session.detach(try session.attach(TestViewer(), number: 1, client: nil).view)
            executor.run()
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .seconds(1_000))
            session.detach(try session.attach(TestViewer(), number: 1, client: nil).view)
            executor.run()
            #expect(!session.hasEnded)
        }
        clock.advance(by: .seconds(180))
        executor.run()
        #expect(session.hasEnded)
    }

    @Test func `a session whose only view overflowed ends after the resume window too`() async throws {
        let clock = ManualClock()
        let ends = Recorder<String>()
        let session = Session(limits: .with { $0.viewBytes = 0 }, clock: clock, ends: ends)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        session.append("one")
        session.append("two")
        #expect(session.take(view).end == .overflow)
        session.detach(view)
        await clock.sleepers(1)
        clock.advance(by: .seconds(180))
        #expect(await ends.elements(count: 1) == ["key"])
    }

    @Test func `an ended session has no window`() throws {
        let (clock, executor) = (ManualClock(), StepExecutor())
        let session = stepping(clock, executor)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        session.end(.closed)
        session.detach(view)
        executor.run()
        #expect(clock.sleeperCount == 0)
    }

    @Test func `the reasons are the protocol's words`() {
        let reasons: [EndReason] = [.closed, .dismissed, .popped, .failed, .overflow, .serverShutdown]
        #expect(reasons.map(\.rawValue) == ["closed", "dismissed", "popped", "failed", "overflow", "serverShutdown"])
    }
}
