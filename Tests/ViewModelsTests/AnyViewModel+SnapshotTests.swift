import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite struct AnyViewModelSnapshotTests {
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
