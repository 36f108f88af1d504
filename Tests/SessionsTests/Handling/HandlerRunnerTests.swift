import JSON
import Sessions
import Synchronization
import Testing
import TestSupport
import ViewModels

/// How many jobs the task of a session's handlers takes: what an event costs is mostly these.
@Suite(.inTurn) struct HandlerRunnerTests {
    private actor Counter: ViewModel {
        enum ViewEvent: Codable { case increment }
        enum ViewModelEvent: Codable { case count(Int) }

        let output = Output<ViewModelEvent>()
        private var count = 0

        func handle(event: ViewEvent) {
            count += 1
            output.send(.count(count))
        }
    }

    private let executor = StepExecutor()
    private let outcomes = Recorder<String>()

    private func session() throws -> Session {
        let session = try Session.of(executor: executor) { Counter() }
        _ = session.open(ready: {}, failed: { _ in }, started: {})
        executor.run()
        return session
    }

    private func increment(_ session: Session, from view: Int) throws {
        let job = ClosureJob(
            handle: try session.decoded(#"{"kind":"increment"}"#), complete: { outcomes.record($0.text) })
        _ = try session.submit(job, from: view, number: nil)
    }

    @Test func `an event to an actor takes one job to begin and one on the actor`() throws {
        let session = try session()
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        try increment(session, from: view)
        executor.run()
        try increment(session, from: view)
        #expect(executor.run() == 2)
        #expect(outcomes.elements == ["handled 1", "handled 2"])
        session.end(.closed)
    }

    @Test func `an event that is cancelled before its task has gone on is never handled`() throws {
        let session = try session()
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        try increment(session, from: view)
        executor.run()
        let job = ClosureJob(
            handle: { [outcomes] in outcomes.record("begins") }, complete: { [outcomes] in outcomes.record($0.text) })
        session.cancel(try session.submit(job, from: view, number: nil))
        executor.run()
        try increment(session, from: view)
        executor.run()
        #expect(outcomes.elements == ["handled 1", "cancelled", "handled 2"])
        session.end(.closed)
    }

    @Test func `events that wait are handled without a job between them`() throws {
        let session = try session()
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        try increment(session, from: view)
        executor.run()
        for _ in 0..<10 { try increment(session, from: view) }
        #expect(executor.run() == 2)
        #expect(outcomes.elements.count == 11)
        session.end(.closed)
    }

    @Test func `the task ends with the last view, and another begins with the next event`() throws {
        let session = try session()
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        try increment(session, from: view)
        executor.run()
        session.detach(view)
        executor.run()
        let other = try session.attach(TestViewer(), number: 1, client: nil).view
        try increment(session, from: other)
        executor.run()
        #expect(outcomes.elements == ["handled 1", "handled 2"])
        session.end(.closed)
    }

    @Test(arguments: [false, true])
    func `an event that comes before the opening waits for it, and is refused where that fails`(
        fails: Bool
    ) throws {
        let model = ScriptedModel { [outcomes] session in
            session.modelIsReady()
            outcomes.record("start")
            if fails { throw TestFailure() }
        }
        let session = Session(key: "key", viewModelName: "test", model: model, executor: executor)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        let job = ClosureJob(
            handle: { [outcomes] in outcomes.record("handle") }, complete: { [outcomes] in outcomes.record($0.text) })
        _ = try session.submit(job, from: view, number: nil)
        executor.run()
        #expect(outcomes.elements.isEmpty)
        session.begin()
        executor.run()
        #expect(outcomes.elements == (fails ? ["start", "sessionEnded"] : ["start", "handle", "handled 0"]))
        session.end(.closed)
    }

    @Test func `a session without views isn't kept by the task of its handlers`() throws {
        weak var released: Session?
        do {
            let session = Session(
                key: "key", viewModelName: "test", model: ScriptedModel(), executor: executor)
            session.begin()
            released = session
            let view = try session.attach(TestViewer(), number: 1, client: nil).view
            let job = ClosureJob(handle: {}, complete: { outcomes.record($0.text) })
            _ = try session.submit(job, from: view, number: nil)
            executor.run()
            session.detach(view)
        }
        executor.run()
        #expect(outcomes.elements == ["handled 0"])
        #expect(released == nil)
    }

    @Test func `after a cancelled event the next one is handled in a task that isn't cancelled`() throws {
        let session = try session()
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        let seen = Recorder<Bool>()
        let first = ClosureJob(
            handle: { while !Task.isCancelled { await Task.yield() } }, complete: { outcomes.record($0.text) })
        let id = try session.submit(first, from: view, number: nil)
        executor.run(atMost: 10)
        let second = ClosureJob(
            handle: { seen.record(Task.isCancelled) }, complete: { outcomes.record($0.text) })
        _ = try session.submit(second, from: view, number: nil)
        session.cancel(id)
        executor.run()
        #expect(seen.elements == [false])
        #expect(outcomes.elements == ["cancelled", "handled 0"])
        session.end(.closed)
    }
}
