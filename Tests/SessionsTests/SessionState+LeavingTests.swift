import TestSupport
import Testing

@testable import Sessions

/// How a session ends that was taken off the screen.
@Suite(.timeLimit(.minutes(4))) struct SessionStateLeavingTests {
    private func child(clock: ManualClock = ManualClock(), ends: Recorder<String> = Recorder()) -> Session {
        Session(
            key: "key", viewModelName: "test", host: ScriptedHost(), isChild: true, executor: globalConcurrentExecutor,
            clock: clock, onEnd: { ends.record($0.key) })
    }

    @Test func `one that takes itself off finishes and is answered before it ends`() async throws {
        let ends = Recorder<String>()
        let clock = ManualClock()
        let session = child(clock: clock, ends: ends)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        let (isGone, mayReturn) = (Gate(), Gate())
        async let outcome = session.outcome(from: view) {
            session.takeOff(.popped)
            session.append("after")
            isGone.open()
            await mayReturn.wait()
        }
        await isGone.wait()
        #expect(session.hasEnded)
        #expect(ends.elements.isEmpty)
        #expect(throws: SessionError.ended) { _ = try session.attach(TestViewer(), number: 2, client: nil) }
        #expect(await session.outcome(from: view) == "ended")
        await clock.sleepers(1)
        mayReturn.open()
        #expect(await outcome == "handled 1")
        await until { ends.elements == ["key"] }
        let news = session.take(view)
        #expect(news.texts == ["1 after"])
        #expect(news.end == .popped)
        await until { clock.sleeperCount == 0 }
    }

    @Test func `what waits behind it is answered at once, in order`() async throws {
        let session = child()
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        let (isRunning, mayGo, mayReturn) = (Gate(), Gate(), Gate())
        async let first = session.outcome(from: view) {
            isRunning.open()
            await mayGo.wait()
            session.takeOff(.dismissed)
            await mayReturn.wait()
        }
        await isRunning.wait()
        let outcomes = Recorder<String>()
        for name in ["second", "third"] {
            let job = ViewEventJob(handle: {}, complete: { outcomes.record("\(name) \($0.text)") })
            _ = try session.submit(job, from: view, number: nil)
        }
        mayGo.open()
        #expect(await outcomes.elements(count: 2) == ["second sessionEnded", "third sessionEnded"])
        mayReturn.open()
        #expect(await first == "handled 0")
    }

    @Test func `one that never returns is ended after the grace period`() async throws {
        let (clock, ends) = (ManualClock(), Recorder<String>())
        let session = child(clock: clock, ends: ends)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        let mayReturn = Gate()
        async let outcome = session.outcome(from: view) {
            session.takeOff(.popped)
            await mayReturn.wait()
        }
        await clock.sleepers(1)
        clock.advance(by: Limits().drainGrace - .seconds(1))
        #expect(ends.elements.isEmpty)
        clock.advance(by: .seconds(1))
        #expect(await outcome == "sessionEnded")
        #expect(session.take(view).end == .popped)
        #expect(ends.elements == ["key"])
        mayReturn.open()
    }

    @Test func `its end for another reason doesn't wait`() async throws {
        let (clock, ends) = (ManualClock(), Recorder<String>())
        let session = child(clock: clock, ends: ends)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        let mayReturn = Gate()
        async let outcome = session.outcome(from: view) {
            session.takeOff(.popped)
            await mayReturn.wait()
        }
        await clock.sleepers(1)
        session.end(.serverShutdown)
        #expect(await outcome == "sessionEnded")
        #expect(session.take(view).end == .serverShutdown)
        await until { clock.sleeperCount == 0 }
        mayReturn.open()
        #expect(ends.elements == ["key"])
    }

    @Test func `one that another takes off ends at once`() async throws {
        let (session, other) = (child(), child())
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        let otherView = try other.attach(TestViewer(), number: 1, client: nil).view
        let (isRunning, mayReturn) = (Gate(), Gate())
        async let outcome = session.outcome(from: view) {
            isRunning.open()
            await mayReturn.wait()
        }
        await isRunning.wait()
        #expect(await other.outcome(from: otherView) { session.takeOff(.popped) } == "handled 0")
        #expect(await outcome == "sessionEnded")
        #expect(!other.hasEnded)
        mayReturn.open()
    }

    @Test func `only the first who claims the opening may open`() async {
        let session = child()
        let claims = Recorder<Int>()
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask { if session.claimOpening() { claims.record(number) } }
            }
        }
        #expect(claims.elements.count == 1)
    }

    @Test func `a timer that was overtaken by a view doesn't replace the next one`() async throws {
        let stage = try Stage()
        let rootView = try await stage.started(stage.root)
        let child = try stage.push()
        let childView = try await stage.started(child)
        stage.root.detach(rootView)
        for _ in 0..<50 {
            await stage.clock.sleepers(1)
            // The root's timer renews itself while a view comes and goes.
            stage.clock.advance(by: Limits().resumeWindow)
            stage.root.detach(try stage.root.attach(TestViewer(), number: 3, client: nil).view)
        }
        await until { stage.clock.sleeperCount == 1 }
        #expect(stage.keys == ["1", "root"])
        child.detach(childView)
        stage.root.end(.closed)
        await until { stage.clock.sleeperCount == 0 }
    }
}
