import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ViewBindTests {
    @Test func `the View listens first, then the view model, then setupBindings, then start`() async throws {
        let steps = Recorder<String>()
        let model = SteppingModel(steps: steps)
        let view = SteppingView(steps: steps, model: model)
        try await view.bind(with: model)
        #expect(
            steps.elements == [
                "the View subscribes", "setupBindings: sent by the view model", "handled: 7", "start",
            ])
    }

    @Test func `nothing that start sends is missed`() async throws {
        let view = PlainView()
        try await view.bind(with: ActorModel())
        #expect(await view.seen.elements(count: 1) == [.started])
    }

    @Test func `setupBindings sees the view model`() async throws {
        let seen = Recorder<Bool>()
        let view = PlainView { seen.record($0.viewModel != nil) }
        #expect(view.viewModel == nil)
        try await view.bind(with: PlainModel())
        #expect(seen.elements == [true])
    }

    @Test func `a start that throws reaches who binds, and the binding stands`() async throws {
        let view = PlainView()
        await #expect(throws: TestFailure()) {
            try await view.bind(with: ActorModel(startFailure: TestFailure()))
        }
        view.output.send(.echo(1))
        #expect(await view.seen.elements(count: 1) == [.echoed(1)])
    }

    @Test func `a failed event reaches the View, and the next one is handled`() async throws {
        let view = PlainView()
        try await view.bind(with: ActorModel())
        view.output.send(.fail)
        view.output.send(.echo(1))
        #expect(await view.seen.elements(count: 2) == [.started, .echoed(1)])
        #expect(await view.failures.elements(count: 1) == ["fail: TestFailure()"])
    }

    @Test func `the View keeps the view model, the view model doesn't keep the View, and both go together`()
        async throws
    {
        weak var weakModel: PlainModel?
        weak var weakView: PlainView?
        do {
            let view = PlainView()
            do {
                let model = PlainModel()
                weakModel = model
                try await view.bind(with: model)
            }
            weakView = view
            _ = await view.seen.elements(count: 1)
            #expect(weakModel != nil)
        }
        // The task that brought the last event may let go of them a moment later.
        await until { weakView == nil && weakModel == nil }
    }

    @Test func `a View that ends before its view model no longer listens to it`() async throws {
        let model = PlainModel()
        weak var weakView: PlainView?
        do {
            let view = PlainView()
            weakView = view
            try await view.bind(with: model)
            _ = await view.seen.elements(count: 1)
        }
        await until { weakView == nil }
        model.output.send(.echoed(1))
    }

    @Test func `an event that waits still reaches the view model of a View that is gone`() async throws {
        let gate = Gate()
        let seen = Recorder<Int>()
        let model = GatedModel(gate: gate, seen: seen)
        do {
            let view = PlainView()
            try await view.bind(with: model)
            view.output.send(.echo(1))
            view.output.send(.echo(2))
        }
        gate.open()
        #expect(await seen.elements(count: 2) == [1, 2])
    }

    @Test func `binding again releases the first view model, whose events no longer arrive`() async throws {
        let view = PlainView()
        weak var weakFirst: PlainModel?
        let firstOutput: Output<TestOutput>
        do {
            let first = PlainModel()
            weakFirst = first
            firstOutput = first.output
            try await view.bind(with: first)
            _ = await view.seen.elements(count: 1)
        }
        let second = PlainModel()
        try await view.bind(with: second)
        await until { weakFirst == nil }
        firstOutput.send(.echoed(1))
        second.output.send(.echoed(2))
        view.output.send(.echo(3))
        #expect(await view.seen.elements(count: 4) == [.started, .started, .echoed(2), .echoed(3)])
    }

    @Test func `events of the first view model that wait for the View are dropped when it is bound again`() async throws
    {
        let gate = Gate()
        let view = GatedView(gate: gate)
        let first = SilentModel()
        let second = SilentModel()
        try await view.bind(with: first)
        first.output.send(.echoed(1))
        _ = await view.begun.elements(count: 1)
        first.output.send(.echoed(2))
        try await view.bind(with: second)
        second.output.send(.echoed(3))
        gate.open()
        _ = await view.begun.elements(count: 2)
        #expect(Set(view.begun.elements.map { "\($0)" }) == ["echoed(1)", "echoed(3)"])
    }

    @Test func `binding the same view model again delivers each event once`() async throws {
        let view = PlainView()
        let model = PlainModel()
        try await view.bind(with: model)
        _ = await view.seen.elements(count: 1)
        try await view.bind(with: model)
        view.output.send(.echo(1))
        view.output.send(.echo(2))
        #expect(await view.seen.elements(count: 3) == [.started, .echoed(1), .echoed(2)])
    }

    @Test func `one view model serves a container and its content, and starts once`() async throws {
        let model = ActorModel()
        let content = PlainView()
        let container = PlainView { view in
            guard let viewModel = view.viewModel else { return }
            try? await content.bind(with: viewModel)
        }
        try await container.bind(with: model)
        container.output.send(.echo(1))
        _ = await container.seen.elements(count: 2)
        content.output.send(.echo(2))
        #expect(await container.seen.elements(count: 3) == [.started, .echoed(1), .echoed(2)])
        #expect(await content.seen.elements(count: 3) == [.started, .echoed(1), .echoed(2)])
        #expect(await model.starts == 1)
    }

    @Test func `two Views that bind at once start the view model once`() async throws {
        let model = ActorModel()
        let views = (0..<20).map { _ in PlainView() }
        try await withThrowingTaskGroup { group in
            for view in views { group.addTask { try await view.bind(with: model) } }
            try await group.waitForAll()
        }
        #expect(await model.starts == 1)
        #expect(views.allSatisfy { $0.viewModel != nil })
    }
}

/// Takes events where they are sent, so that the steps of a binding have one order.
private final class SteppingView: View {
    let output = Output<TestInput>()
    private let steps: Recorder<String>
    private let model: SteppingModel

    init(steps: Recorder<String>, model: SteppingModel) {
        self.steps = steps
        self.model = model
    }

    func subscribe(to output: Output<TestOutput>) -> Subscription {
        steps.record("the View subscribes")
        // Nobody handles what the View sends yet.
        self.output.send(.echo(0))
        return output.subscribe { [steps] _ in steps.record("setupBindings: sent by the view model") }
    }

    func handle(event: TestOutput) {}

    func setupBindings() async {
        model.output.send(.echoed(0))
        output.send(.echo(7))
        await model.hasHandled.wait()
    }
}

private final class SteppingModel: ViewModel {
    let output = Output<TestOutput>()
    let hasHandled = Gate()
    private let steps: Recorder<String>

    init(steps: Recorder<String>) {
        self.steps = steps
    }

    func start() {
        steps.record("start")
    }

    func handle(event: TestInput) {
        if case .echo(let number) = event { steps.record("handled: \(number)") }
        hasHandled.open()
    }
}

private final class GatedModel: ViewModel {
    let output = Output<TestOutput>()
    private let gate: Gate
    private let seen: Recorder<Int>

    init(gate: Gate, seen: Recorder<Int>) {
        self.gate = gate
        self.seen = seen
    }

    func handle(event: TestInput) async {
        await gate.wait()
        if case .echo(let number) = event { seen.record(number) }
    }
}

private final class GatedView: View {
    let output = Output<TestInput>()
    let begun = Recorder<TestOutput>()
    private let gate: Gate

    init(gate: Gate) {
        self.gate = gate
    }

    func handle(event: TestOutput) async {
        begun.record(event)
        await gate.wait()
    }
}
