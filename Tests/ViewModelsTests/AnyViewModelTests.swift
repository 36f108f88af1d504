import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct AnyViewModelTests {
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

    @Test func `a view model whose type is erased twice starts too`() async throws {
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

@Suite(.inTurn) struct AnyViewModelSnapshotTests {
    @Test func `a view model without a snapshot says so`() async throws {
        let placed = Recorder<[Int]>()
        await #expect(throws: NoSnapshot.self) {
            try await AnyViewModel(ModelWithoutSnapshot()).placeSnapshot { placed.record($0) }
        }
        #expect(placed.elements.isEmpty)
    }

    @Test func `a snapshot that something was sent during is made again`() async throws {
        let model = DisturbedModel(disturbances: 3)
        let placed = Recorder<[Int]>()
        try await AnyViewModel(model).placeSnapshot { placed.record($0) }
        #expect(placed.elements == [[3]])
    }

    @Test func `a view model that always sends something gets no snapshot out`() async throws {
        let model = DisturbedModel(disturbances: .max)
        let error = await #expect(throws: OutdatedSnapshot.self) {
            try await AnyViewModel(model).placeSnapshot { _ in Issue.record("placed") }
        }
        #expect(error.map { "\($0)" } == "it sent events during each of 1000 snapshots")
    }

    @Test func `an actor's snapshot agrees with what was sent, whoever makes it send`() async throws {
        let model = SummingModel()
        let last = Mutex(0)
        let subscription = model.output.subscribe { sum in last.withLock { $0 = sum } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { await model.add() } }
            }
            for _ in 0..<200 {
                try await AnyViewModel(model).placeSnapshot { snapshot in
                    #expect(snapshot == [last.withLock { $0 }])
                }
            }
            try await group.waitForAll()
        }
        withExtendedLifetime(subscription) {}
    }
}

private final class ModelWithoutSnapshot: ViewModel {
    let output = Output<Int>()
    func handle(event: Int) {}
}

/// Sends, in its first snapshots, what makes each out of date.
private actor DisturbedModel: ViewModel {
    let output = Output<Int>()
    private let disturbances: Int
    private var count = 0

    init(disturbances: Int) { self.disturbances = disturbances }

    func handle(event: Int) {}

    func snapshot() -> [Int] {
        guard count < disturbances else { return [count] }
        count += 1
        output.send(count)
        return [count]
    }
}

private actor SummingModel: ViewModel {
    let output = Output<Int>()
    private var sum = 0

    func handle(event: Int) {}

    func add() {
        sum += 1
        output.send(sum)
    }

    func snapshot() -> [Int] { [sum] }
}
