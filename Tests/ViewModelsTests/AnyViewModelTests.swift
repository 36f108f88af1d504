import TestSupport
import Testing
import ViewModels

@Suite struct AnyViewModelTests {
    @Test func `events go through in both directions`() async throws {
        let seen = Recorder<TestOutput>()
        let erased = AnyViewModel(ActorModel())
        let subscription = erased.output.subscribe { seen.record($0) }
        try await erased.start()
        try await erased.handle(event: .echo(1))
        #expect(seen.elements == [.started, .echoed(1)])
        withExtendedLifetime(subscription) {}
    }

    @Test func `it starts once however many erasures there are`() async throws {
        let model = ActorModel()
        let erasures = [AnyViewModel(model), AnyViewModel(model), AnyViewModel(AnyViewModel(model))]
        for erased in erasures {
            try await erased.start()
            try await erased.start()
        }
        #expect(await model.starts == 1)
    }

    @Test func `what is erased twice starts too`() async throws {
        let model = ActorModel()
        try await AnyViewModel(AnyViewModel(model)).start()
        #expect(await model.starts == 1)
    }

    @Test func `it starts once also when many start it at once`() async {
        let model = ActorModel()
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { try? await AnyViewModel(model).start() }
            }
        }
        #expect(await model.starts == 1)
    }

    @Test func `a second start returns while the first still runs`() async throws {
        let gate = Gate()
        let model = ActorModel(startGate: gate)
        async let first: Void = AnyViewModel(model).start()
        let erased = AnyViewModel(model)
        while await model.starts == 0 { await Task.yield() }
        try await erased.start()
        gate.open()
        try await first
        #expect(await model.starts == 1)
    }

    @Test func `a failed start is its caller's alone and isn't tried again`() async throws {
        let erased = AnyViewModel(ActorModel(startFailure: TestFailure()))
        await #expect(throws: TestFailure()) { try await erased.start() }
        try await erased.start()
    }

    @Test func `a failed event is its caller's`() async {
        await #expect(throws: TestFailure()) { try await AnyViewModel(ActorModel()).handle(event: .fail) }
    }

    @Test func `it keeps the view model and lets it go`() {
        weak var model: ActorModel?
        do {
            let erased: AnyViewModel<TestOutput, TestInput>
            do {
                let strong = ActorModel()
                model = strong
                erased = AnyViewModel(strong)
            }
            #expect(model != nil)
            withExtendedLifetime(erased) {}
        }
        #expect(model == nil)
    }
}
