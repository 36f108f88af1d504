import JSON
import Queues
import Sessions
import TestSupport
import Testing
import ViewModels

/// Where a handler runs: up to its first suspension on the loop, then in the pool, and answered on the loop again.
@Suite(.inTurn) struct HandlerThreadsTests {
    private enum Event: Codable, Sendable { case answer, wait, hold, holdLong, holdAndWait, spawn }
    private enum Kind: CaseIterable { case object, actor }

    /// What the two view models do with an event.
    private final class Script: Sendable {
        let home = StepRunner()
        let pool = StepRunner()
        let gate = Gate()
        let steps = Recorder<String>()
        let log = Recorder<String>()

        func note(_ step: String) {
            steps.record("\(step) \(home.isRunner ? "on the loop" : pool.isRunner ? "in the pool" : "elsewhere")")
        }

        func hold() {
            if home.isRunner { home.hold(isLoop: true) } else { pool.hold(isLoop: false) }
        }

        nonisolated(nonsending) func handle(_ event: Event) async {
            note("begun")
            if event == .hold || event == .holdLong || event == .holdAndWait { hold() }
            if event == .holdLong { (home.isHeld ? home : pool).stillHolds() }
            guard event == .wait || event == .holdAndWait else { return }
            await gate.wait()
            note("resumed")
        }
    }

    private final class ObjectModel: ViewModel {
        let output = Output<HostedOutput>()
        private let script: Script
        init(_ script: Script) { self.script = script }
        func start() { script.note("started") }
        func handle(event: Event) async { await script.handle(event) }
    }

    private actor ActorModel: ViewModel {
        let output = Output<HostedOutput>()
        private let script: Script
        private let spawnsAtStart: Bool
        init(_ script: Script, spawnsAtStart: Bool = false) {
            (self.script, self.spawnsAtStart) = (script, spawnsAtStart)
        }

        func start() {
            script.note("started")
            if spawnsAtStart { spawn() }
        }

        func handle(event: Event) async {
            if event == .spawn { spawn() }
            await script.handle(event)
        }

        private func spawn() {
            Task {
                script.note("own task")
                script.hold()
            }
        }
    }

    private let script = Script()
    private var home: StepRunner { script.home }
    private var pool: StepRunner { script.pool }

    private func opened(_ kind: Kind, spawnsAtStart: Bool = false) throws -> Session {
        var registry = Registry()
        switch kind {
        case .object: registry.add("test") { [script] in ObjectModel(script) }
        case .actor: registry.add("test") { [script] in ActorModel(script, spawnsAtStart: spawnsAtStart) }
        }
        guard let model = try registry.sessionModel("test", arguments: nil, at: .root, in: Container()) else {
            throw TestFailure()
        }
        let threads = HandlerThreads(pool: pool) { [script] in script.log.record($0) }
        let session = Session(
            key: "key", viewModelName: "test", model: model,
            context: SessionContext(executor: home, threads: threads, limits: SharedLimits(Limits())))
        _ = session.open(ready: {}, failed: { _ in }, started: { [script] in script.note("opened") })
        home.run()
        return session
    }

    private func runAll() {
        while home.run() + pool.run() > 0 {}
    }

    private func attached(_ session: Session) throws -> Int {
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        // The view model is told of it.
        runAll()
        return view
    }

    private func submit(_ event: String, to session: Session, from view: Int) throws {
        let job = try session.decode(#"{"kind":"\#(event)"}"#) { [script] in script.note($0.text) }
        _ = try session.submit(job, from: view, number: nil)
    }

    @Test(arguments: Kind.allCases)
    private func `a view model is opened without a job in the pool`(_ kind: Kind) throws {
        let session = try opened(kind)
        #expect(script.steps.elements == ["started on the loop", "opened on the loop"])
        #expect(pool.count == 0)
        session.end(.closed)
    }

    @Test(arguments: Kind.allCases)
    private func `what comes after a suspension is in the pool, the answer and the next event on the loop`(
        _ kind: Kind
    ) throws {
        let session = try opened(kind)
        let view = try attached(session)
        for round in 1...2 {
            try submit("wait", to: session, from: view)
            home.run()
            script.gate.open()
            if round == 1 { pool.run() }
            // The task waits for the next event before the client has the answer.
            home.run()
            try submit("answer", to: session, from: view)
            home.run()
            #expect(pool.count == 0)
        }
        #expect(
            script.steps.elements.dropFirst(2) == [
                "begun on the loop", "resumed in the pool", "handled 0 on the loop", "begun on the loop",
                "handled 0 on the loop",
                // The gate is open now, so that this one doesn't suspend.
                "begun on the loop", "resumed on the loop", "handled 0 on the loop", "begun on the loop",
                "handled 0 on the loop",
            ])
        session.end(.closed)
    }

    @Test(arguments: Kind.allCases)
    private func `once a handler has held the loop, all of them begin in the pool, and are answered there`(
        _ kind: Kind
    ) throws {
        let session = try opened(kind)
        let view = try attached(session)
        try submit("hold", to: session, from: view)
        home.run()
        for _ in 1...3 {
            try submit("answer", to: session, from: view)
            #expect(home.run() == 0)
            pool.run()
        }
        try submit("wait", to: session, from: view)
        pool.run()
        script.gate.open()
        pool.run()
        #expect(home.count == 0)
        #expect(
            script.steps.elements.dropFirst(2) == ["begun on the loop", "handled 0 elsewhere"]
                + Array(repeating: ["begun in the pool", "handled 0 in the pool"], count: 3).joined()
                + ["begun in the pool", "resumed in the pool", "handled 0 in the pool"])
        session.end(.closed)
    }

    @Test(arguments: Kind.allCases)
    private func `each handler that held a thread is named once, and tasks of the view model's own as such`(
        _ kind: Kind
    ) throws {
        let session = try opened(kind)
        let view = try attached(session)
        let events = ["hold", "hold", "holdAndWait"] + (kind == .actor ? ["spawn"] : [])
        for event in events {
            try submit(event, to: session, from: view)
            runAll()
            script.gate.open()
            runAll()
        }
        let consequence = "; the sessions of test begin on other threads from now on"
        #expect(
            script.log.elements.map { $0.hasSuffix(consequence) } == [true] + events.dropFirst(2).map { _ in false })
        #expect(
            script.log.elements.map { $0.split(separator: " held its thread for ")[0] } == [
                "test.hold", "test.holdAndWait",
            ]
                + (kind == .actor ? ["a task of test"] : []))
        session.end(.closed)
    }

    @Test(arguments: Kind.allCases)
    private func `a handler that doesn't return is named while it holds its thread, and not once more`(
        _ kind: Kind
    ) throws {
        let session = try opened(kind)
        let view = try attached(session)
        for (event, beginning) in [("holdLong", "test.holdLong has held its thread for "), ("hold", "test.hold held ")]
        {
            for _ in 1...2 {
                try submit(event, to: session, from: view)
                runAll()
            }
            #expect(script.log.elements.last?.hasPrefix(beginning) == true, "\(script.log.elements)")
        }
        #expect(
            script.log.elements.map { $0.contains(" ms without a suspension, and still does; the sessions of test ") }
                == [
                    true, false,
                ])
        pool.stillHolds()
        #expect(script.log.elements.count == 2)
        session.end(.closed)
    }

    @Test(arguments: Kind.allCases)
    private func `a handler that suspended isn't named for a thread that is seen as held on its way home`(
        _ kind: Kind
    ) throws {
        let session = try opened(kind)
        let view = try attached(session)
        pool.holdWhenPassing()
        try submit("wait", to: session, from: view)
        runAll()
        script.gate.open()
        runAll()
        #expect(script.steps.elements.suffix(2) == ["resumed in the pool", "handled 0 on the loop"])
        #expect(script.log.elements == [])
        session.end(.closed)
    }

    @Test func `a task that start began, and that goes on with its thread, isn't named as start`() throws {
        let session = try opened(.actor, spawnsAtStart: true)
        #expect(script.steps.elements == ["started on the loop", "own task on the loop", "opened on the loop"])
        #expect(script.log.elements.count == 1)
        #expect(script.log.elements[0].hasPrefix("a task of test held its thread for "))
        session.end(.closed)
    }
}
