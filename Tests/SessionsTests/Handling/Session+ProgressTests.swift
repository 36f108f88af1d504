import Sessions
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct SessionProgressTests {
    private let session = Session()

    private func attach(_ session: Session? = nil) throws -> Int {
        try (session ?? self.session).attach(TestViewer(), number: 1, client: nil).view
    }

    @Test func `a handler has the progress that was asked for, and none otherwise`() async throws {
        let view = try attach()
        let seen = Recorder<Bool>()
        let handle: @Sendable () async throws -> Void = { seen.record(WorkDoneProgress.current != nil) }
        _ = await session.outcome(from: view, progress: RequestProgress { _ in }, of: handle)
        _ = await session.outcome(from: view, of: handle)
        #expect(seen.elements == [true, false])
    }

    @Test func `a handler has no progress of the one before, whoever told that it was done`() async throws {
        let stale = WorkDoneProgress { _ in }
        let model = ScriptedModel(onPending: { done in WorkDoneProgress.$current.withValue(stale) { done() } })
        let session = Session(model: model)
        session.begin()
        let view = try attach(session)
        let seen = Recorder<Bool>()
        let (isQueued, outcomes) = (Gate(), Recorder<String>())
        let first = ClosureJob(handle: { await isQueued.wait() }, complete: { outcomes.record($0.text) })
        let second = ClosureJob(
            handle: { seen.record(WorkDoneProgress.current == nil) }, complete: { outcomes.record($0.text) })
        for job in [first, second] { _ = try session.submit(job, from: view, number: nil) }
        isQueued.open()
        #expect(await outcomes.elements(count: 2) == ["handled 0", "handled 0"])
        #expect(seen.elements == [true])
    }

    @Test(arguments: ["success", "error", "cancellation", "session end"])
    func `progress that began ends before the answer, however the handler ends`(way: String) async throws {
        let view = try attach()
        let steps = Recorder<String>()
        let hasBegun = Gate()
        let mayReturn = Gate()
        let progress = RequestProgress { value in
            switch value {
            case .begin: steps.record("begin")
            case .report: steps.record("report")
            case .end: steps.record("end")
            }
        }
        let id = try session.submit(
            ClosureJob(
                progress: progress,
                handle: {
                    WorkDoneProgress.current?.begin(title: "work")
                    hasBegun.open()
                    await mayReturn.wait()
                    if way == "error" { throw TestFailure() }
                }, complete: { _ in steps.record("answer") }), from: view, number: nil)
        await hasBegun.wait()
        switch way {
        case "cancellation": session.cancel(id)
        case "session end": session.end(.closed)
        default: break
        }
        mayReturn.open()
        #expect(await steps.elements(count: 3) == ["begin", "end", "answer"])
        #expect(!progress.goesOn)
        WorkDoneProgress(of: progress).report()
        #expect(steps.elements.count == 3)
    }

    @Test(arguments: ["success", "error", "cancellation", "session end"])
    func `progress goes on with work that the handler started and didn't wait for, unless that failed`(
        way: String
    ) async throws {
        let view = try attach()
        let steps = Recorder<String>()
        let (hasBegun, mayReturn, mayEnd) = (Gate(), Gate(), Gate())
        let progress = RequestProgress { steps.record("\($0)".prefix { $0 != "(" }.description) }
        let id = try session.submit(
            ClosureJob(
                progress: progress,
                handle: {
                    WorkDoneProgress.current?.begin(title: "work")
                    Task {
                        await mayEnd.wait()
                        WorkDoneProgress.current?.report()
                        steps.record("work is over")
                    }
                    hasBegun.open()
                    await mayReturn.wait()
                    if way == "error" { throw TestFailure() }
                }, complete: { _ in steps.record("answer") }), from: view, number: nil)
        await hasBegun.wait()
        switch way {
        case "cancellation": session.cancel(id)
        case "session end": session.end(.closed)
        default: break
        }
        mayReturn.open()
        if way == "success" {
            #expect(await steps.elements(count: 2) == ["begin", "answer"])
            #expect(progress.goesOn)
            mayEnd.open()
            #expect(await steps.elements(count: 5) == ["begin", "answer", "report", "work is over", "end"])
        } else {
            #expect(await steps.elements(count: 3) == ["begin", "end", "answer"])
            #expect(!progress.goesOn)
            mayEnd.open()
            #expect(await steps.elements(count: 4) == ["begin", "end", "answer", "work is over"])
        }
    }

    @Test func `work that begins its progress after the answer ends it, too, and work that never does is over`()
        async throws
    {
        let view = try attach()
        for begins in [true, false] {
            let steps = Recorder<String>()
            let gate = Gate()
            let progress = RequestProgress { steps.record("\($0)".prefix { $0 != "(" }.description) }
            let outcome = await session.outcome(from: view, progress: progress) {
                Task {
                    await gate.wait()
                    if begins { WorkDoneProgress.current?.begin(title: "late") }
                }
            }
            #expect(outcome.hasPrefix("handled"))
            #expect(progress.goesOn)
            gate.open()
            // The answer has said that an end follows.
            #expect(await steps.elements(count: begins ? 2 : 1) == (begins ? ["begin", "end"] : ["end"]))
        }
    }

    @Test func `progress that the handler's work has ended, or that nobody has any more, doesn't go on`() async throws {
        let view = try attach()
        for endsItself in [true, false] {
            let gate = Gate()
            let progress = RequestProgress { _ in }
            _ = await session.outcome(from: view, progress: progress) {
                WorkDoneProgress.current?.begin(title: "work")
                await withTaskGroup { group in
                    for _ in 0..<3 { group.addTask { WorkDoneProgress.current?.report() } }
                }
                async let child: Void? = WorkDoneProgress.current?.report()
                await child
                if endsItself {
                    Task { await gate.wait() }
                    WorkDoneProgress.current?.end(message: "done")
                }
            }
            #expect(!progress.goesOn)
            gate.open()
        }
    }

    @Test func `progress of an event that never ran is never told`() async throws {
        let view = try attach()
        let steps = Recorder<String>()
        let gate = Gate()
        let isRunning = Gate()
        let first = ClosureJob(
            handle: {
                isRunning.open()
                await gate.wait()
            }, complete: { steps.record($0.text) })
        _ = try session.submit(first, from: view, number: nil)
        await isRunning.wait()
        let progress = RequestProgress { steps.record("\($0)") }
        let id = try session.submit(
            ClosureJob(progress: progress, handle: {}, complete: { steps.record($0.text) }), from: view, number: nil)
        session.cancel(id)
        #expect(steps.elements == ["cancelled"])
        gate.open()
        #expect(await steps.elements(count: 2) == ["cancelled", "handled 0"])
    }
}
