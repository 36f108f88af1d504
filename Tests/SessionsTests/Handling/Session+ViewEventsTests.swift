import Sessions
import Testing
import TestSupport
import ViewModels

@Suite(.inTurn) struct SessionViewEventsTests {
    private let session = Session()

    private func attach(_ session: Session? = nil, client: String? = nil) throws -> Int {
        try (session ?? self.session).attach(TestViewer(), number: 1, client: client).view
    }

    /// Submits a handler that waits for `gate`, or for its cancellation, and returns when it runs.
    private func block(
        _ session: Session, _ view: Int, _ gate: Gate, _ outcomes: Recorder<String>, name: String = "first"
    ) async throws -> Int {
        let isRunning = Gate()
        let id = try session.submit(
            ClosureJob(
                handle: {
                    isRunning.open()
                    await withTaskCancellationHandler {
                        await gate.wait()
                    } onCancel: {
                        gate.open()
                    }
                    outcomes.record("\(name) sees cancellation: \(Task.isCancelled)")
                }, complete: { outcomes.record("\(name) \($0.text)") }), from: view, number: nil)
        await isRunning.wait()
        return id
    }

    private func job(_ name: String, _ outcomes: Recorder<String>) -> ViewEventJob {
        ClosureJob(
            handle: { outcomes.record("\(name) runs") }, complete: { outcomes.record("\(name) \($0.text)") })
    }

    @Test func `handlers run one at a time in the order in which they came`() async throws {
        let view = try attach()
        let steps = Recorder<String>()
        for number in 0..<1_000 {
            _ = try session.submit(
                ClosureJob(
                    handle: {
                        steps.record("begin \(number)")
                        await Task.yield()
                        steps.record("end \(number)")
                    }, complete: { _ in steps.record("answer \(number)") }), from: view, number: nil)
        }
        let expected = (0..<1_000).flatMap { ["begin \($0)", "end \($0)", "answer \($0)"] }
        #expect(await steps.elements(count: 3_000) == expected)
    }

    @Test func `the outcome has the newest number, after all that the handler sent`() async throws {
        let view = try attach()
        #expect(await session.outcome(from: view) == "handled 0")
        let outcome = await session.outcome(from: view) { [session] in
            for _ in 0..<3 { session.append("x") }
        }
        #expect(outcome == "handled 3")
    }

    @Test func `a handler that throws fails alone`() async throws {
        let view = try attach()
        #expect(await session.outcome(from: view) { throw TestFailure() } == "failed TestFailure()")
        #expect(await session.outcome(from: view) == "handled 0")
    }

    @Test func `only a view that is there may ask`() async throws {
        #expect(await session.outcome(from: 1) == "ended")
        let view = try attach()
        _ = try attach()
        session.detach(view)
        #expect(await session.outcome(from: view) == "ended")
    }

    @Test func `an event that waits is cancelled at once and never runs`() async throws {
        let view = try attach()
        let outcomes = Recorder<String>()
        let gate = Gate()
        _ = try await block(session, view, gate, outcomes)
        let second = try session.submit(job("second", outcomes), from: view, number: nil)
        _ = try session.submit(job("third", outcomes), from: view, number: nil)
        session.cancel(second)
        session.cancel(second)
        #expect(outcomes.elements == ["second cancelled"])
        gate.open()
        #expect(
            await outcomes.elements(count: 5) == [
                "second cancelled", "first sees cancellation: false", "first handled 0", "third runs",
                "third handled 0",
            ])
    }

    @Test func `a handler that runs sees the cancellation and is answered when it returns`() async throws {
        let view = try attach()
        let outcomes = Recorder<String>()
        let id = try await block(session, view, Gate(), outcomes)
        session.cancel(id)
        session.cancel(id)
        #expect(await outcomes.elements(count: 2) == ["first sees cancellation: true", "first cancelled"])
        #expect(await session.outcome(from: view) == "handled 0")
        #expect(outcomes.elements.count == 2)
    }

    @Test func `a finished event stays finished`() async throws {
        let view = try attach()
        let outcomes = Recorder<String>()
        let id = try session.submit(job("first", outcomes), from: view, number: nil)
        _ = await outcomes.elements(count: 2)
        session.cancel(id)
        session.cancel(99)
        #expect(outcomes.elements == ["first runs", "first handled 0"])
    }

    @Test func `a cancellation that comes right behind its event is answered once`() async throws {
        let view = try attach()
        for _ in 0..<500 {
            let outcomes = Recorder<String>()
            let id = try session.submit(
                ClosureJob(handle: {}, complete: { outcomes.record($0.text) }), from: view, number: nil)
            session.cancel(id)
            let outcome = await outcomes.elements(count: 1)
            #expect(outcome == ["cancelled"] || outcome == ["handled 0"])
            #expect(await session.outcome(from: view) == "handled 0")
            #expect(outcomes.elements.count == 1)
        }
    }

    @Test func `the end answers what ran and waited, in order and once, and cancels what ran`() async throws {
        let view = try attach()
        let outcomes = Recorder<String>()
        let mayReturn = Gate()
        let isRunning = Gate()
        _ = try session.submit(
            ClosureJob(
                handle: {
                    isRunning.open()
                    await mayReturn.wait()
                    outcomes.record("first sees cancellation: \(Task.isCancelled)")
                }, complete: { outcomes.record("first \($0.text)") }), from: view, number: nil)
        await isRunning.wait()
        for name in ["second", "third"] { _ = try session.submit(job(name, outcomes), from: view, number: nil) }
        session.end(.closed)
        let ended = ["first sessionEnded", "second sessionEnded", "third sessionEnded"]
        #expect(outcomes.elements == ended)
        mayReturn.open()
        #expect(await outcomes.elements(count: 4) == ended + ["first sees cancellation: true"])
        #expect(await session.outcome(from: view) == "ended")
        #expect(outcomes.elements.count == 4)
    }

    @Test func `a handler may end its own session`() async throws {
        let view = try attach()
        let outcome = await session.outcome(from: view) { [session] in session.end(.closed) }
        #expect(outcome == "sessionEnded")
    }

    @Test func `no more events wait than the limit, and what is refused leaves no trace`() async throws {
        let session = Session(limits: .with { $0.pendingEvents = 2 })
        let view = try attach(session, client: "c")
        let outcomes = Recorder<String>()
        let gate = Gate()
        _ = try await block(session, view, gate, outcomes)
        for name in ["second", "third"] { _ = try session.submit(job(name, outcomes), from: view, number: nil) }
        let error = #expect(throws: SessionError.self) {
            try session.submit(job("fourth", outcomes), from: view, number: 1)
        }
        guard case .limitExceeded(limit: "pendingEvents", let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.hasPrefix("2 view events wait in this session"))
        gate.open()
        _ = await outcomes.elements(count: 6)
        #expect(outcomes.elements.allSatisfy { !$0.hasPrefix("fourth") })
        #expect(await session.outcome(from: view, number: 1) == "handled 0")
    }

    @Test func `the events that wait are bounded in bytes too, but for one event alone`() async throws {
        let session = Session(limits: .with { $0.pendingBytes = 10 })
        let view = try attach(session)
        let outcomes = Recorder<String>()
        let gate = Gate()
        _ = try await block(session, view, gate, outcomes)
        let long = ClosureJob(bytes: 11, handle: {}, complete: { outcomes.record($0.text) })
        let short = ClosureJob(bytes: 5, handle: {}, complete: { outcomes.record($0.text) })
        let first = try session.submit(long, from: view, number: nil)
        #expect(throws: SessionError.self) { try session.submit(short, from: view, number: nil) }
        session.cancel(first)
        for _ in 0..<2 { _ = try session.submit(short, from: view, number: nil) }
        let error = #expect(throws: SessionError.self) { try session.submit(short, from: view, number: nil) }
        guard case .limitExceeded(limit: "pendingBytes", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        gate.open()
        #expect(await session.outcome(from: view) == "handled 0")
        _ = try session.submit(short, from: view, number: nil)
    }

    @Test func `a client's numbers are applied once each, in order`() async throws {
        let view = try attach(client: "c")
        let applied = Recorder<Int>()
        for number in [1, 2, 1, 2, 3] {
            #expect(await session.outcome(from: view, number: number) { applied.record(number) } == "handled 0")
        }
        #expect(applied.elements == [1, 2, 3])
        let early = await session.outcome(from: view, number: 5) { applied.record(5) }
        #expect(early.contains("5 came where 4 is next"))
        #expect(try session.attach(TestViewer(), number: 2, client: "c").handled == 3)
        #expect(try session.attach(TestViewer(), number: 2, client: "d").handled == 0)
        #expect(try session.attach(TestViewer(), number: 2, client: nil).handled == nil)
    }

    @Test(arguments: [0, -1, Int.min])
    func `numbers count from 1`(number: Int) async throws {
        let view = try attach(client: "c")
        #expect(
            await session.outcome(from: view, number: number) == #"invalid(member: "number", reason: "counts from 1")"#)
    }

    @Test func `only a named client may number its events`() async throws {
        let view = try attach()
        #expect(
            await session.outcome(from: view, number: 1).hasPrefix(#"invalid(member: "number", reason: "only a view"#))
    }

    @Test func `a repeated number is answered in its turn`() async throws {
        let view = try attach(client: "c")
        let outcomes = Recorder<String>()
        _ = await session.outcome(from: view, number: 1)
        let gate = Gate()
        _ = try await block(session, view, gate, outcomes)
        _ = try session.submit(job("repeated", outcomes), from: view, number: 1)
        #expect(outcomes.elements.isEmpty)
        gate.open()
        #expect(
            await outcomes.elements(count: 3) == [
                "first sees cancellation: false", "first handled 0", "repeated handled 0",
            ])
    }

    @Test func `events that wait keep no repeated number out, and repeats have a bound of their own`() async throws {
        let session = Session(limits: .with { $0.pendingEvents = 2 })
        let view = try attach(session, client: "c")
        let outcomes = Recorder<String>()
        let gate = Gate()
        _ = await session.outcome(from: view, number: 1)
        _ = try await block(session, view, gate, outcomes)
        for number in [2, 3] { _ = try session.submit(job("\(number)", outcomes), from: view, number: number) }
        for number in [2, 3] { _ = try session.submit(job("\(number) again", outcomes), from: view, number: number) }
        let error = #expect(throws: SessionError.self) {
            try session.submit(job("1 again", outcomes), from: view, number: 1)
        }
        #expect("\(String(describing: error))".contains("2 events that were sent again wait in this session"))
        gate.open()
        _ = await outcomes.elements(count: 6)
        #expect(outcomes.elements.suffix(2) == ["2 again handled 0", "3 again handled 0"])
        // Their room is free again.
        for number in [1, 2, 3, 3] { #expect(await session.outcome(from: view, number: number) == "handled 0") }
    }

    @Test func `an event that was sent again is neither kept nor counted while its answer waits`() async throws {
        final class Content: Sendable {}
        let session = Session(limits: .with { $0.pendingBytes = 100 })
        let view = try attach(session, client: "c")
        let (outcomes, gate) = (Recorder<String>(), Gate())
        _ = await session.outcome(from: view, number: 1)
        _ = try await block(session, view, gate, outcomes)
        weak var kept: Content?
        do {
            let content = Content()
            kept = content
            let job = ClosureJob(
                bytes: 100, handle: { _ = content }, complete: { outcomes.record("again \($0.text)") })
            _ = try session.submit(job, from: view, number: 1)
        }
        #expect(kept == nil)
        let next = ClosureJob(bytes: 100, handle: {}, complete: { outcomes.record("next \($0.text)") })
        _ = try session.submit(next, from: view, number: 2)
        gate.open()
        #expect(await outcomes.elements(count: 4).suffix(2) == ["again handled 0", "next handled 0"])
    }

    @Test func `an event that is sent again is answered as the first one was, also where that wasn't handled`()
        async throws
    {
        let view = try attach(client: "c")
        #expect(await session.outcome(from: view, number: 1) { throw TestFailure() } == "failed TestFailure()")
        #expect(await session.outcome(from: view, number: 2) == "handled 0")
        #expect(await session.outcome(from: view, number: 1) == "failed TestFailure()")
        #expect(await session.outcome(from: view, number: 2) == "handled 0")
        // A few are known, the newest ones.
        for number in 3...66 {
            #expect(await session.outcome(from: view, number: number) { throw TestFailure() } == "failed TestFailure()")
        }
        #expect(await session.outcome(from: view, number: 1) == "handled 0")
        #expect(await session.outcome(from: view, number: 3) == "failed TestFailure()")
    }

    @Test func `to cancel an event that was sent again cancels the first one, which may run or wait`() async throws {
        let view = try attach(client: "c")
        let (outcomes, gate) = (Recorder<String>(), Gate())
        _ = try session.submit(
            ClosureJob(
                handle: {
                    await gate.wait()
                    try Task.checkCancellation()
                }, complete: { outcomes.record("1 \($0.text)") }), from: view, number: 1)
        _ = try session.submit(job("2", outcomes), from: view, number: 2)
        let again = try (1...2).map { (number: Int) in
            try session.submit(job("\(number) again", outcomes), from: view, number: number)
        }
        session.cancel(again[1])
        #expect(outcomes.elements == ["2 cancelled"])
        session.cancel(again[0])
        gate.open()
        let told = await outcomes.elements(count: 4)
        #expect(told == ["2 cancelled", "1 cancelled", "1 again cancelled", "2 again cancelled"])
    }

    @Test func `an event that is over isn't said to be cancelled where it is sent again and cancelled`() async throws {
        let view = try attach(client: "c")
        let (outcomes, gate) = (Recorder<String>(), Gate())
        _ = await session.outcome(from: view, number: 1)
        _ = try await block(session, view, gate, outcomes)
        // It waits for its turn.
        session.cancel(try session.submit(job("1 again", outcomes), from: view, number: 1))
        #expect(outcomes.elements.isEmpty)
        gate.open()
        #expect(await outcomes.elements(count: 3).last == "1 again handled 0")
    }

    @Test func `a number that is sent again while its event runs is answered when that is done, with what it sent`()
        async throws
    {
        let view = try attach(client: "c")
        let began = Gate()
        let mayGoOn = Gate()
        async let first = session.outcome(from: view, number: 1) { [session] in
            began.open()
            await mayGoOn.wait()
            session.append("e1")
        }
        await began.wait()
        let back = try session.attach(TestViewer(), number: 2, client: "c")
        #expect(back.handled == 1)
        async let repeated = session.outcome(from: back.view, number: 1) { Issue.record("applied twice") }
        mayGoOn.open()
        #expect(await first == "handled 1")
        #expect(await repeated == "handled 1")
    }

    @Test func `a number whose event failed or was cancelled is taken all the same`() async throws {
        let view = try attach(client: "c")
        #expect(await session.outcome(from: view, number: 1) { throw TestFailure() } == "failed TestFailure()")
        let gate = Gate()
        let outcomes = Recorder<String>()
        _ = try await block(session, view, gate, outcomes)
        let second = try session.submit(job("second", outcomes), from: view, number: 2)
        session.cancel(second)
        gate.open()
        for (number, expected) in [(1, "failed TestFailure()"), (2, "cancelled")] {
            let outcome = await session.outcome(from: view, number: number) { Issue.record("applied twice") }
            #expect(outcome == expected)
        }
        #expect(await session.outcome(from: view, number: 3) == "handled 0")
    }

    @Test func `a client's next view goes on with its numbers, and the one before counts no more`() async throws {
        let first = try attach(client: "c")
        #expect(await session.outcome(from: first, number: 1) == "handled 0")
        let second = try attach(client: "c")
        #expect(await session.outcome(from: second, number: 2) == "handled 0")
        #expect(await session.outcome(from: first, number: 3) == "replaced")
        #expect(await session.outcome(from: second, number: 3) == "handled 0")
    }
}
