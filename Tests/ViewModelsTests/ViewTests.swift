import TestSupport
import Testing
import ViewModels

@Suite(.inTurn, .timeLimit(.minutes(4))) struct ViewTests {
    @Test func `a View on the main actor gets its events there, in order`() async throws {
        let view = MainActorView()
        let model = PlainModel()
        try await view.bind(with: model)
        await withTaskGroup { group in
            group.addTask { for number in 0..<1_000 { model.output.send(.echoed(number)) } }
        }
        #expect(await view.seen.elements(count: 1_001) == [.started] + (0..<1_000).map { .echoed($0) })
    }

    @Test func `a View on the main actor is told of failures there`() async throws {
        let view = MainActorView()
        try await view.bind(with: PlainModel())
        view.output.send(.fail)
        #expect(await view.failures.elements(count: 1) == [.fail])
    }

    @Test func `a View needs neither setupBindings nor a handler of failures`() async throws {
        let view = BareView()
        try await view.bind(with: PlainModel())
        view.output.send(.fail)
        view.output.send(.echo(1))
        #expect(await view.seen.elements(count: 2) == [.started, .echoed(1)])
    }

    @Test func `a view model doesn't wait for a View`() async throws {
        let gate = Gate()
        let view = SlowView(gate: gate)
        let model = PlainModel()
        try await view.bind(with: model)
        for number in 0..<100 { model.output.send(.echoed(number)) }
        #expect(view.seen.elements.isEmpty)
        gate.open()
        #expect(await view.seen.elements(count: 101).last == .echoed(99))
    }

    @Test func `a View takes the next event when it is done with the one before, also after a pause`() async throws {
        let gate = Gate()
        let view = SlowView(gate: gate)
        let model = SilentModel()
        try await view.bind(with: model)
        for number in 1...2 { model.output.send(.echoed(number)) }
        #expect(await view.begun.elements(count: 1) == [.echoed(1)])
        gate.open()
        #expect(await view.seen.elements(count: 2) == [.echoed(1), .echoed(2)])
        for number in 3...100 {
            model.output.send(.echoed(number))
            #expect(await view.seen.elements(count: number).last == .echoed(number))
        }
    }

    /// The View takes one event out of the queue, which then has room for 64.
    private func filled(_ gate: Gate) async throws -> (SlowView, SilentModel) {
        let (view, model) = (SlowView(gate: gate), SilentModel())
        try await view.bind(with: model)
        model.output.send(.echoed(0))
        _ = await view.begun.elements(count: 1)
        for number in 1...64 { try await model.output.stream(.echoed(number)) }
        return (view, model)
    }

    @Test func `a view model that streams waits for a View that has 64 events before it, and none is lost`()
        async throws
    {
        let gate = Gate()
        let (view, model) = try await filled(gate)
        let begun = Gate()
        let task = Task {
            begun.open()
            for number in 65...200 {
                try await model.output.ready()
                model.output.send(.echoed(number))
            }
        }
        await begun.wait()
        for _ in 0..<100 { await Task.yield() }
        #expect(model.output.sentCount == 65 && view.begun.elements == [.echoed(0)])
        gate.open()
        try await task.value
        #expect(await view.seen.elements(count: 201) == (0...200).map { .echoed($0) })
    }

    @Test(arguments: [false, true])
    func `a task that waits for a View ends when it is cancelled, or the View is bound to another view model`(
        isBoundAgain: Bool
    ) async throws {
        let gate = Gate()
        let (view, model) = try await filled(gate)
        let task = Task { try await model.output.stream(.echoed(65)) }
        for _ in 0..<100 { await Task.yield() }
        if isBoundAgain { try await view.bind(with: SilentModel()) } else { task.cancel() }
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
    }

    @Test func `a task that was cancelled before doesn't wait for a View`() async throws {
        let gate = Gate()
        let (view, model) = try await filled(gate)
        let begin = Gate()
        let task = Task {
            await begin.wait()
            try await model.output.ready()
        }
        task.cancel()
        begin.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(view.begun.elements == [.echoed(0)])
        gate.open()
    }

    @Test func `a View may take events on the thread that sends them`() async throws {
        let view = DirectView()
        let model = PlainModel()
        try await view.bind(with: model)
        model.output.send(.echoed(1))
        #expect(view.seen.elements == [.started, .echoed(1)])
    }
}

private final class SlowView: View {
    let output = Output<TestInput>()
    let begun = Recorder<TestOutput>()
    let seen = Recorder<TestOutput>()
    private let gate: Gate

    init(gate: Gate) {
        self.gate = gate
    }

    func handle(event: TestOutput) async {
        begun.record(event)
        await gate.wait()
        seen.record(event)
    }
}

private final class DirectView: View {
    let output = Output<TestInput>()
    let seen = Recorder<TestOutput>()

    func handle(event: TestOutput) {
        seen.record(event)
    }

    func subscribe(to output: Output<TestOutput>) -> Subscription {
        output.subscribe { [weak self] in self?.handle(event: $0) }
    }
}
