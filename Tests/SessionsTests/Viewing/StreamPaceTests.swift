import JSON
import Sessions
import Synchronization
import Testing
import TestSupport
import ViewModels

/// Handlers that stream wait for the views of their session. Every thread is the test's.
@Suite(.inTurn) struct StreamPaceTests {
    /// More than a view that keeps up has waiting.
    private static let many = 65

    @Test func `without views nothing is waited for`() throws {
        let stage = try Streaming(views: 0)
        stage.stream(1_000)
        #expect(stage.sent == 1_000)
    }

    @Test func `a handler waits while a view has many events before it, and goes on when it has taken them`() throws {
        let stage = try Streaming()
        stage.stream(200)
        #expect(stage.sent == Self.many)
        stage.take(0, 64)
        #expect(stage.sent == Self.many)
        stage.take(0)
        #expect(stage.sent == 2 * Self.many)
        stage.take(0)
        stage.take(0)
        stage.take(0)
        #expect(stage.sent == 200)
        #expect(stage.notes == ["streamed"])
    }

    @Test func `many bytes are as much as many events`() throws {
        let stage = try Streaming()
        stage.stream(10, bytes: 300_000)
        #expect(stage.sent == 1)
        stage.take(0)
        #expect(stage.sent == 2)
    }

    @Test func `the slowest view decides`() throws {
        let stage = try Streaming(views: 2)
        stage.stream(100)
        stage.take(0)
        #expect(stage.sent == Self.many)
        stage.take(1)
        #expect(stage.sent == 100)
    }

    @Test func `a view that goes isn't waited for`() throws {
        let stage = try Streaming(views: 2)
        stage.stream(100)
        stage.take(0)
        stage.detach(1)
        #expect(stage.sent == 100)
    }

    @Test func `a view that takes nothing for long isn't waited for until it has caught up`() throws {
        let stage = try Streaming(views: 2)
        stage.stream(1_000)
        stage.take(0)
        stage.take(1, 1)
        stage.pass(.seconds(10))
        #expect(stage.sent == Self.many, "it took one")
        stage.pass(.seconds(10))
        #expect(stage.sent == 2 * Self.many, "the other one has events before it now")
        #expect(
            stage.warnings == [
                """
                a view of test took nothing for 10.0 seconds (viewTime), so handlers that stream don't wait for it any \
                more
                """
            ])
        stage.take(1)
        stage.take(0)
        #expect(stage.sent == 3 * Self.many)
        stage.take(0)
        #expect(stage.sent == 3 * Self.many, "it is waited for again")
        stage.take(1)
        #expect(stage.sent == 4 * Self.many)
    }

    @Test func `a handler that is cancelled while it waits sends nothing more`() throws {
        let stage = try Streaming()
        stage.stream(100)
        stage.cancel()
        #expect(stage.notes == ["CancellationError()", "cancelled"])
        stage.take(0)
        #expect(stage.sent == Self.many)
    }

    @Test func `a handler that waits ends with its session`() throws {
        let stage = try Streaming()
        stage.stream(100)
        stage.end()
        #expect(stage.notes == ["CancellationError()"])
        #expect(stage.sent == Self.many)
    }

    @Test func `a task of the view model's own that streams ends with the session, also without a wait`() async throws {
        let stage = try Streaming(views: 0)
        let output = stage.output
        try await output.stream(.line("a"))
        stage.end()
        await #expect(throws: CancellationError.self) { try await output.stream(.line("b")) }
        #expect(stage.sent == 1)
        _ = output.add { _ in }
        try await output.stream(.line("c"))
    }

    @Test func `events that are sent and not streamed wait for nobody`() throws {
        let stage = try Streaming()
        stage.stream(0, thenSend: 1_000)
        #expect(stage.sent == 1_000)
    }
}

private final class Streaming {
    private let executor = StepExecutor()
    private let clock = ManualClock()
    private let outcome = Recorder<String>()
    private let warned = Recorder<String>()
    private let session: Session
    private let model: StreamingModel
    private var views: [Int] = []
    private var job = 0

    init(views count: Int = 1) throws {
        let model = StreamingModel()
        self.model = model
        var registry = Registry()
        registry.add("test") { model }
        let hosted = try #require(try registry.sessionModel("test", arguments: nil, at: .root, in: Container()))
        session = Session(
            key: "key", viewModelName: "test", model: hosted,
            context: SessionContext(
                executor: executor, limits: SharedLimits(.with { $0.viewBytes = .max }), clock: clock,
                warn: { [warned] in warned.record($0) }))
        // One that sends the event, and has taken everything at the end of each step.
        _ = session.open(ready: {}, failed: { _ in }, started: {})
        views = try (0..<count).map { try session.attach(TestViewer(), number: $0, client: nil).view }
        executor.run()
    }

    deinit {
        end()
    }

    var sent: Int { session.summary.newest }
    var notes: [String] { model.errors.elements + outcome.elements }
    var output: Output<StreamingModel.ViewModelEvent> { model.output }
    var warnings: [String] { warned.elements }

    func stream(_ count: Int, bytes: Int = 1, thenSend rest: Int = 0) {
        let job = ClosureJob(
            handle: { [model] in try await model.handle(event: .stream(count, bytes: bytes, rest: rest)) },
            complete: { [outcome] in if case .cancelled = $0 { outcome.record("cancelled") } })
        do {
            let sender = try views.first ?? session.attach(TestViewer(), number: 9, client: nil).view
            self.job = try session.submit(job, from: sender, number: nil)
            if views.isEmpty { session.detach(sender) }
        } catch {
            Issue.record(error)
        }
        executor.run()
    }

    /// Has a view take so many of the events that wait.
    func take(_ view: Int, _ count: Int = .max) {
        for _ in 0..<min(count, 1_000_000) {
            let taken = session.take(views[view], maximumBytes: count == .max ? .max : 1)
            if taken.isAll || count == .max { break }
        }
        executor.run()
    }

    func detach(_ view: Int) {
        session.detach(views[view])
        executor.run()
    }

    func pass(_ time: Duration) {
        clock.advance(by: time)
        executor.run()
    }

    func cancel() {
        session.cancel(job)
        executor.run()
    }

    func end() {
        session.end(.closed)
        executor.run()
    }
}

private actor StreamingModel: ViewModel {
    enum ViewEvent: Codable { case stream(Int, bytes: Int, rest: Int) }
    enum ViewModelEvent: Codable { case line(String) }

    let output = Output<ViewModelEvent>()
    nonisolated let errors = Recorder<String>()

    func handle(event: ViewEvent) async throws {
        guard case .stream(let count, let bytes, let rest) = event else { return }
        do {
            for _ in 0..<count { try await output.stream(.line(String(repeating: "x", count: bytes))) }
        } catch {
            errors.record("\(error)")
            throw error
        }
        for _ in 0..<rest { output.send(.line("")) }
        if count > 0 { errors.record("streamed") }
    }
}
