import Sessions
import Testing
import ViewModels
import TestSupport

/// How a session ends that was taken off the screen.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct SessionTakeOffTests {
    /// A child on screen, with a view.
    private struct Child {
        let stage: Stage
        let session: Session
        let view: Int

        init() async throws {
            stage = try Stage()
            session = try stage.push()
            view = try await stage.started(session)
        }

        /// Takes off the topmost child, as a view model does.
        func pop() { stage.navigator.takeOff(.push) }
    }

    @Test func `one that takes itself off finishes and is answered before it ends`() async throws {
        let child = try await Child()
        let (session, ends, clock) = (child.session, child.stage.ends, child.stage.clock)
        let (isGone, mayReturn) = (Gate(), Gate())
        async let outcome = session.outcome(from: child.view) {
            child.pop()
            session.append("after")
            isGone.open()
            await mayReturn.wait()
        }
        await isGone.wait()
        #expect(session.hasEnded)
        #expect(ends.elements.isEmpty)
        #expect(throws: SessionError.ended) { _ = try session.attach(TestViewer(), number: 2, client: nil) }
        #expect(await session.outcome(from: child.view) == "ended")
        await clock.sleepers(1)
        mayReturn.open()
        #expect(await outcome == "handled 1")
        await until { ends.elements == ["1"] }
        let delivery = session.take(child.view)
        #expect(delivery.texts == ["1 after"])
        #expect(delivery.end == .popped)
        await until { clock.sleeperCount == 0 }
    }

    @Test func `events that wait behind it are answered at once, in order`() async throws {
        let child = try await Child()
        let (isRunning, mayGo, mayReturn) = (Gate(), Gate(), Gate())
        async let first = child.session.outcome(from: child.view) {
            isRunning.open()
            await mayGo.wait()
            child.pop()
            await mayReturn.wait()
        }
        await isRunning.wait()
        let outcomes = Recorder<String>()
        for name in ["second", "third"] {
            let job = ClosureJob(handle: {}, complete: { outcomes.record("\(name) \($0.text)") })
            _ = try child.session.submit(job, from: child.view, number: nil)
        }
        mayGo.open()
        #expect(await outcomes.elements(count: 2) == ["second sessionEnded", "third sessionEnded"])
        mayReturn.open()
        #expect(await first == "handled 0")
    }

    @Test func `one that never returns is ended after the grace period`() async throws {
        let child = try await Child()
        let (clock, ends) = (child.stage.clock, child.stage.ends)
        let mayReturn = Gate()
        async let outcome = child.session.outcome(from: child.view) {
            child.pop()
            await mayReturn.wait()
        }
        await clock.sleepers(1)
        clock.advance(by: Limits().drainGrace - .seconds(1))
        #expect(ends.elements.isEmpty)
        clock.advance(by: .seconds(1))
        #expect(await outcome == "sessionEnded")
        #expect(child.session.take(child.view).end == .popped)
        #expect(await ends.elements(count: 1) == ["1"])
        mayReturn.open()
    }

    @Test func `its end for another reason doesn't wait`() async throws {
        let child = try await Child()
        let (clock, ends) = (child.stage.clock, child.stage.ends)
        let mayReturn = Gate()
        async let outcome = child.session.outcome(from: child.view) {
            child.pop()
            await mayReturn.wait()
        }
        await clock.sleepers(1)
        child.session.end(.serverShutdown)
        #expect(await outcome == "sessionEnded")
        #expect(child.session.take(child.view).end == .serverShutdown)
        #expect(ends.elements == ["1"])
        mayReturn.open()
        await until { clock.sleeperCount == 0 }
    }

    @Test func `one that another takes off ends at once`() async throws {
        let child = try await Child()
        let root = child.stage.root
        let rootView = try await child.stage.started(root)
        let (isRunning, mayReturn) = (Gate(), Gate())
        async let outcome = child.session.outcome(from: child.view) {
            isRunning.open()
            await mayReturn.wait()
        }
        await isRunning.wait()
        #expect(await root.outcome(from: rootView) { child.pop() } == "handled 2")
        #expect(await outcome == "sessionEnded")
        #expect(!root.hasEnded)
        mayReturn.open()
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
