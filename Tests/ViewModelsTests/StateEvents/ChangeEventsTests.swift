import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ChangeEventsTests {
    private let seen = Recorder<[Int]>()

    @Test func `the state is sent first, and then what start changed`() async throws {
        let events = ChangeEvents(ListActor([0]))
        let subscription = events.record(in: seen)
        try await events.start()
        #expect(seen.elements == [[0], [0, 1]])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a handler's changes are sent once, before it is done`() async throws {
        try await expectOneEvent(for: ListActor([]))
        try await expectOneEvent(for: MainList())
    }

    private func expectOneEvent(for model: some NotifyingViewModel<[Int], ListEvent>) async throws {
        let seen = Recorder<[Int]>()
        let events = ChangeEvents(model)
        let subscription = events.record(in: seen)
        try await events.start()
        for number in 2...200 {
            let before = seen.elements
            try await events.handle(event: .addTwice(number))
            #expect(seen.elements == before + [(before.last ?? []) + [number, number]])
        }
        withExtendedLifetime(subscription) {}
    }

    @Test func `changes of a handler that fails are sent, and then the error is thrown`() async throws {
        let events = ChangeEvents(ListActor([]))
        let subscription = events.record(in: seen)
        try await events.start()
        await #expect(throws: TestFailure()) { try await events.handle(event: .addAndFail(2)) }
        #expect(seen.elements == [[], [1], [1, 2]])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a handler's changes are sent while it waits for something`() async throws {
        let gate = Gate()
        let events = ChangeEvents(ListActor([], gate: gate))
        let subscription = events.record(in: seen)
        try await events.start()
        async let handled: Void = events.handle(event: .addAndWait(2))
        #expect(await seen.elements(count: 3).last == [1, 2])
        gate.open()
        try await handled
        #expect(seen.elements.last == [1, 2, 3])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a change outside a handler is sent soon`() async throws {
        let model = ListActor([])
        let events = ChangeEvents(model)
        let subscription = events.record(in: seen)
        try await events.start()
        await model.add(2)
        #expect(await seen.elements(count: 3) == [[], [1], [1, 2]])
        withExtendedLifetime((events, subscription)) {}
    }

    @Test func `of changes between two reads the newest state is sent, never an older one after a newer`() async throws
    {
        let model = SlowModel()
        let events = ChangeEvents(model)
        let subscription = events.output.subscribe { [seen] in seen.record([$0.state]) }
        model.gate(0).open()
        try await events.start()
        model.set(1)
        _ = await model.reads.elements(count: 2)
        for number in 2...5 { model.set(number) }
        model.gate(5).open()
        model.gate(1).open()
        #expect(await seen.elements(count: 3) == [[0], [1], [5]])
        #expect(model.reads.elements == [0, 1, 5])
        withExtendedLifetime((events, subscription)) {}
    }

    @Test func `a handler's changes are sent before it is done, also where another thread notifies`() async throws {
        for _ in 0..<20 {
            let order = Recorder<String>()
            let (isNotifying, mayGoOn) = (Gate(), Gate())
            let model = ListActor([], atStart: nil)
            let blocker = Blocker()
            model.changed.subscribe(blocker) { _ in
                isNotifying.open()
                mayGoOn.block()
            }
            let events = ChangeEvents(model)
            let subscription = events.output.subscribe { order.record("\($0.state)") }
            try await events.start()
            async let other: Void = onThread { model.changed.raise() }
            await isNotifying.wait()
            async let handled: Void = {
                try await events.handle(event: .addTwice(7))
                order.record("handled")
            }()
            _ = await model.added.elements(count: 2)
            for _ in 0..<100 { await Task.yield() }
            mayGoOn.open()
            try await handled
            await other
            // Perhaps sent twice, since the other thread was late, but never after the handler is done.
            #expect(order.elements.prefix(2) == ["[]", "[7, 7]"])
            #expect(order.elements.last == "handled")
            withExtendedLifetime((blocker, subscription)) {}
        }
    }

    @Test func `several tasks that change it leave the newest state last, in order`() async throws {
        let model = ListActor([])
        let events = ChangeEvents(model)
        let subscription = events.record(in: seen)
        try await events.start()
        await withTaskGroup { group in
            for task in 0..<4 { group.addTask { for index in 0..<100 { await model.add(task * 100 + index) } } }
            for task in 4..<6 {
                group.addTask {
                    for index in 0..<100 { try? await events.handle(event: .addTwice(task * 100 + index)) }
                }
            }
        }
        await until { seen.elements.last?.count == 801 }
        let counts = seen.elements.map(\.count)
        #expect(counts == counts.sorted())
        withExtendedLifetime((events, subscription)) {}
    }

    @Test func `a snapshot is what was sent last, whenever it is asked for`() async throws {
        let model = ListActor([])
        let events = ChangeEvents(model)
        #expect(events.snapshot().isEmpty)
        let subscription = events.record(in: seen)
        try await events.start()
        #expect(events.snapshot().map(\.state) == [[1]])
        let snapshots = Recorder<(count: Int, state: [Int]?)>()
        let isOver = Gate()
        async let reader: Void = onThread {
            while !isOver.isOpen {
                let count = events.output.sentCount
                let state = events.snapshot().last?.state
                if events.output.sentCount == count { snapshots.record((count, state)) }
            }
        }
        for index in 0..<1_000 { try await events.handle(event: .replace(index)) }
        isOver.open()
        await reader
        let sent = seen.elements
        #expect(sent.count == 1_002)
        let wrong = snapshots.elements.filter { $0.state != sent[$0.count - 1] }
        #expect(wrong.isEmpty)
        withExtendedLifetime((events, subscription)) {}
    }

    @Test func `its events replace each other`() async throws {
        let events = ChangeEvents(ListActor([]))
        try await events.start()
        #expect(events.snapshot().map(\.coalescingKey) == ["changed"])
    }
}

enum ListEvent: Sendable {
    case replace(Int)
    case addTwice(Int)
    case addAndFail(Int)
    case addAndWait(Int)
}

actor ListActor: NotifyingViewModel {
    let changed = Event<Void>()
    private(set) var values: [Int]
    let added = Recorder<Int>()
    private let gate: Gate?
    private let first: Int?

    /// - Parameter first: what `start` adds.
    init(_ values: [Int], atStart first: Int? = 1, gate: Gate? = nil) {
        self.values = values
        self.first = first
        self.gate = gate
    }

    var state: [Int] { values }

    func start() {
        if let first { add(first) }
    }

    func handle(event: ListEvent) async throws {
        switch event {
        case .replace(let number):
            values = []
            add(number)
        case .addTwice(let number):
            add(number)
            add(number)
        case .addAndFail(let number):
            add(number)
            throw TestFailure()
        case .addAndWait(let number):
            add(number)
            await gate?.wait()
            add(number + 1)
        }
    }

    func add(_ number: Int) {
        values.append(number)
        changed.raise()
        added.record(number)
    }
}

@MainActor private final class MainList: NotifyingViewModel {
    let changed = Event<Void>()
    private(set) var state: [Int] = []

    func handle(event: ListEvent) {
        guard case .addTwice(let number) = event else { return }
        for _ in 0..<2 {
            state.append(number)
            changed.raise()
        }
    }
}

/// Reading its state takes as long as the test wants.
private final class SlowModel: NotifyingViewModel {
    let changed = Event<Void>()
    let reads = Recorder<Int>()
    private let value = Mutex(0)
    private let gates = (0...5).map { _ in Gate() }

    var state: Int {
        get async {
            let value = value.withLock { $0 }
            reads.record(value)
            await gates[value].wait()
            return value
        }
    }

    func gate(_ value: Int) -> Gate { gates[value] }

    func set(_ value: Int) {
        self.value.withLock { $0 = value }
        changed.raise()
    }

    func handle(event: ListEvent) {}
}

private final class Blocker: Sendable {}

extension ChangeEvents {
    fileprivate func record(in seen: Recorder<Model.State>) -> Subscription {
        output.subscribe { seen.record($0.state) }
    }
}
