import TestSupport
import Testing
import ViewModels

@Suite struct ViewTests {
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
