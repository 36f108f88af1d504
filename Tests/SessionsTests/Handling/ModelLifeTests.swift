import JSON
import Sessions
import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn, .timeLimit(.minutes(1)))
struct ModelLifeTests {
    @Test func `the hooks follow start, before the first event, and end with stop`() async throws {
        let stage = LifeStage()
        let view = try stage.attach()
        _ = await stage.session.opened()
        #expect(await stage.handle("a", from: view) == "handled 0")
        stage.session.detach(view)
        _ = await stage.steps.elements(count: 4)
        let again = try stage.attach()
        #expect(await stage.handle("b", from: again) == "handled 0")
        stage.session.end(.closed)
        let steps = await stage.steps.elements(count: 8)
        #expect(steps == ["start", "appear", "a", "disappear", "appear", "b", "disappear", "stop"])
        #expect(stage.warnings.elements == [])
    }

    @Test func `only the first view and the last one count`() async throws {
        let stage = LifeStage()
        let (one, other) = (try stage.attach(), try stage.attach())
        _ = await stage.session.opened()
        let third = try stage.attach()
        stage.session.detach(one)
        stage.session.detach(third)
        #expect(await stage.handle("a", from: other) == "handled 0")
        stage.session.detach(other)
        #expect(await stage.steps.elements(count: 4) == ["start", "appear", "a", "disappear"])
    }

    @Test func `a view that waits for its snapshot is one, too`() async throws {
        let stage = LifeStage()
        let first = try stage.attach()
        _ = await stage.session.opened()
        stage.session.detach(first)
        _ = await stage.steps.elements(count: 3)
        _ = try await stage.session.attached(TestViewer())
        #expect(await stage.steps.elements(count: 4) == ["start", "appear", "disappear", "appear"])
    }

    @Test func `where the last view goes and one comes back before the call could run, nothing is called`() async throws
    {
        let stage = LifeStage()
        let first = try stage.attach()
        _ = await stage.session.opened()
        async let held = stage.handle("hold", from: first)
        _ = await stage.steps.elements(count: 3)
        stage.session.detach(first)
        let second = try stage.attach()
        stage.session.detach(second)
        let third = try stage.attach()
        stage.gate.open()
        #expect(await held == "handled 0")
        #expect(await stage.handle("a", from: third) == "handled 0")
        #expect(stage.steps.elements == ["start", "appear", "hold", "a"])
    }

    @Test func `a view that is gone before its view model has started was never there`() async throws {
        let stage = LifeStage { if $0 == "start" { await $1.wait() } }
        let view = try stage.attach()
        async let opened = stage.session.opened()
        _ = await stage.steps.elements(count: 1)
        stage.session.detach(view)
        stage.gate.open()
        #expect(await opened == ["ready", "started"])
        let next = try stage.attach()
        #expect(await stage.handle("a", from: next) == "handled 0")
        #expect(stage.steps.elements == ["start", "started", "appear", "a"])
    }

    @Test func `the hooks are in the order of handlers, never two at a time`() async throws {
        let stage = LifeStage { if $0 == "disappear" { await $1.wait() } }
        let first = try stage.attach()
        _ = await stage.session.opened()
        stage.session.detach(first)
        _ = await stage.steps.elements(count: 3)
        // While the hook runs, a view comes and sends.
        let second = try stage.attach()
        async let handled = stage.handle("a", from: second)
        stage.gate.open()
        #expect(await handled == "handled 0")
        #expect(stage.steps.elements == ["start", "appear", "disappear", "disappeared", "appear", "a"])
    }

    @Test func `events wait for viewsDidAppear`() async throws {
        let stage = LifeStage { if $0 == "appear" { await $1.wait() } }
        let view = try stage.attach()
        async let opened = stage.session.opened()
        async let handled = stage.handle("a", from: view)
        _ = await stage.steps.elements(count: 2)
        stage.gate.open()
        #expect(await handled == "handled 0")
        _ = await opened
        #expect(stage.steps.elements == ["start", "appear", "appeared", "a"])
    }

    @Test func `stop comes after the handler that ran, which is cancelled`() async throws {
        let stage = LifeStage()
        let view = try stage.attach()
        _ = await stage.session.opened()
        async let held = stage.handle("cancel", from: view)
        _ = await stage.steps.elements(count: 3)
        stage.session.end(.closed)
        #expect(await held == "sessionEnded")
        #expect(
            await stage.steps.elements(count: 6)
                == ["start", "appear", "cancel", "was cancelled", "disappear", "stop"])
    }

    @Test func `a session that ends while it starts is stopped when that has returned`() async throws {
        let stage = LifeStage { if $0 == "start" { await $1.wait() } }
        _ = try stage.attach()
        async let opened = stage.session.opened()
        _ = await stage.steps.elements(count: 1)
        stage.session.end(.closed)
        stage.gate.open()
        _ = await opened
        #expect(await stage.steps.elements(count: 3) == ["start", "was cancelled", "stop"])
    }

    @Test func `a view model that wasn't started isn't stopped`() async throws {
        let unopened = LifeStage()
        unopened.session.end(.closed)
        _ = await unopened.session.opened()
        let failed = LifeStage(fails: true)
        _ = try failed.attach()
        _ = await failed.session.opened()
        await failed.stopped()
        #expect(unopened.steps.elements == [])
        #expect(failed.steps.elements == ["start"])
        #expect(failed.session.hasEnded)
    }

    @Test func `the end of the resume window stops it`() async throws {
        let stage = LifeStage()
        let view = try stage.attach()
        _ = await stage.session.opened()
        stage.session.detach(view)
        _ = await stage.steps.elements(count: 3)
        await stage.clock.sleepers(1)
        stage.clock.advance(by: .seconds(180))
        #expect(await stage.steps.elements(count: 4) == ["start", "appear", "disappear", "stop"])
    }

    @Test func `a stop that takes longer than the grace is cancelled, and named`() async throws {
        let stage = LifeStage { if $0 == "stop" { await $1.wait() } }
        _ = try stage.attach()
        _ = await stage.session.opened()
        stage.session.end(.closed)
        _ = await stage.steps.elements(count: 4)
        await stage.clock.sleepers(1)
        stage.clock.advance(by: .seconds(5))
        await stage.stopped()
        #expect(
            stage.warnings.elements == [
                "test.stop has not returned 5.0 seconds after the end of its session (drainGrace), and is cancelled"
            ])
        stage.gate.open()
        #expect(await stage.steps.elements(count: 5).last == "was cancelled")
    }

    @Test func `a handler that doesn't return is named, and stop comes when it does`() async throws {
        let stage = LifeStage()
        let view = try stage.attach()
        _ = await stage.session.opened()
        async let held = stage.handle("hold", from: view)
        _ = await stage.steps.elements(count: 3)
        stage.session.end(.closed)
        await stage.clock.sleepers(1)
        stage.clock.advance(by: .seconds(5))
        await stage.stopped()
        #expect(
            stage.warnings.elements == [
                """
                test.hold has not returned 5.0 seconds after the end of its session (drainGrace), so stop is not called \
                before it does
                """
            ])
        stage.gate.open()
        _ = await held
        #expect(await stage.steps.elements(count: 5) == ["start", "appear", "hold", "disappear", "stop"])
    }

    @Test func `two sessions of one view model are one audience, and the last one stops it`() async throws {
        let (steps, gate) = (Recorder<String>(), Gate())
        let model = Living(steps: steps, gate: gate, fails: false) { _, _ in }
        let (one, other) = (LifeStage(of: model, steps, gate), LifeStage(of: model, steps, gate))
        let view = try one.attach()
        _ = await one.session.opened()
        let second = try other.attach()
        _ = await other.session.opened()
        one.session.end(.closed)
        await one.stopped()
        #expect(await other.handle("a", from: second) == "handled 0")
        #expect(await one.handle("b", from: view) == "ended")
        other.session.end(.closed)
        #expect(await steps.elements(count: 5) == ["start", "appear", "a", "disappear", "stop"])
        let late = LifeStage(of: model, steps, gate)
        _ = try late.attach()
        _ = await late.session.opened()
        late.session.end(.closed)
        await late.stopped()
        #expect(steps.elements.count == 5)
    }

    @Test func `what a hook changes is sent, of a view model with properties or with a state`() async throws {
        let properties = try Session.of { Counted() }
        let view = try properties.attach(TestViewer(), number: 1, client: nil).view
        _ = await properties.opened()
        #expect(properties.taken(view) == [#"1 {"kind":"count","value":0}"#, #"2 {"kind":"count","value":1}"#])
        let notifying = try Session.of { Noted() }
        let other = try notifying.attach(TestViewer(), number: 1, client: nil).view
        _ = await notifying.opened()
        #expect(notifying.taken(other) == [#"1 {"kind":"changed","value":0}"#, #"2 {"kind":"changed","value":1}"#])
        for session in [properties, notifying] { session.end(.closed) }
    }
}

/// A session whose view model records its life.
private final class LifeStage: Sendable {
    let steps: Recorder<String>
    let gate: Gate
    let warnings = Recorder<String>()
    let clock = ManualClock()
    let session: Session
    private let context: SessionContext

    convenience init(fails: Bool = false, _ wait: @escaping @Sendable (String, Gate) async -> Void = { _, _ in }) {
        let (steps, gate) = (Recorder<String>(), Gate())
        self.init(of: Living(steps: steps, gate: gate, fails: fails, wait), steps, gate)
    }

    init(of model: Living, _ steps: Recorder<String>, _ gate: Gate) {
        (self.steps, self.gate) = (steps, gate)
        var registry = Registry()
        registry.add("test") { model }
        context = SessionContext(
            executor: globalConcurrentExecutor, limits: SharedLimits(Limits()), clock: clock,
            warn: { [warnings] in warnings.record($0) })
        let hosted = try? registry.sessionModel("test", arguments: nil, at: .root, in: Container())
        session = Session(key: "key", viewModelName: "test", model: hosted ?? ScriptedModel(), context: context)
    }

    func attach() throws -> Int {
        try session.attach(TestViewer(), number: 1, client: nil).view
    }

    func handle(_ name: String, from view: Int) async -> String {
        guard let handler = try? session.decoded(#"{"kind":"\#(name)"}"#) else { return "undecodable" }
        return await withCheckedContinuation { continuation in
            do throws(SessionError) {
                let job = ClosureJob(name, handle: handler) { continuation.resume(returning: $0.text) }
                _ = try session.submit(job, from: view, number: nil)
            } catch {
                continuation.resume(returning: "\(error)")
            }
        }
    }

    /// The session has ended, and waits for its view model no longer.
    func stopped() async {
        await withCheckedContinuation { continuation in context.ending.whenNone { continuation.resume() } }
    }
}

private actor Living: ViewModel {
    enum ViewEvent: String, Codable {
        case a, b
        /// Waits for the gate, cancelled or not.
        case hold
        /// Waits until it is cancelled.
        case cancel
    }

    let output = Output<HostedOutput>()
    private let steps: Recorder<String>
    private let gate: Gate
    private let fails: Bool
    private let wait: @Sendable (String, Gate) async -> Void

    init(
        steps: Recorder<String>, gate: Gate, fails: Bool, _ wait: @escaping @Sendable (String, Gate) async -> Void
    ) {
        (self.steps, self.gate, self.fails, self.wait) = (steps, gate, fails, wait)
    }

    /// Records the step, and its end where it waited for the gate.
    private func take(_ step: String, _ end: String) async {
        steps.record(step)
        let wasOpen = gate.isOpen
        await wait(step, gate)
        if !wasOpen, gate.isOpen { steps.record(Task.isCancelled ? "was cancelled" : end) }
    }

    func start() async throws {
        await take("start", "started")
        if fails { throw TestFailure() }
    }

    func viewsDidAppear() async { await take("appear", "appeared") }
    func viewsDidDisappear() async { await take("disappear", "disappeared") }
    func stop() async { await take("stop", "stopped") }

    func handle(event: ViewEvent) async {
        steps.record(event.rawValue)
        switch event {
        case .a, .b: break
        case .hold: await gate.wait()
        case .cancel:
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: { [gate] in
                gate.open()
            }
            if Task.isCancelled { steps.record("was cancelled") }
        }
    }
}

private actor Counted: ObservableViewModel {
    @Observed var count = 0

    func viewsDidAppear() { count += 1 }
    func handle(event: HostedInput) {}
}

private actor Noted: NotifyingViewModel {
    let changed = Event<Void>()
    private(set) var state = 0

    func viewsDidAppear() {
        state += 1
        changed.raise()
    }

    func handle(event: HostedInput) {}
}
