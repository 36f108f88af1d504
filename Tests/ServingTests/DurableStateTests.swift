import Sessions
import TestSupport
import Testing
import ViewModels

/// How the state of a view model gets from one life of its session to the next.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct DurableStateTests {
    /// Opens "own", sends it the first half of the events, ends the server, and sends the rest. Returns what was told.
    private func told(
        of events: [String], _ register: @escaping (inout Registry, _ life: Int) -> Void
    ) async throws -> [String] {
        let lives = Lives(register: register)
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        for event in events.prefix(events.count / 2) { try await client.perform(.send("own", event)) }
        await lives.end()
        for event in events.dropFirst(events.count / 2) { try await client.perform(.send("own", event)) }
        await lives.end()
        #expect(lives.count == 2)
        return client.told["own", default: [:]].sorted { $0.key < $1.key }.map(\.value)
    }

    private static let set = (1...4).map { #"{"kind":"set","value":\#($0)}"# }

    @Test func `observed properties are saved, and the next life sends what has changed`() async throws {
        let told = try await told(of: Self.set) { registry, _ in registry.add("own") { PropertiesViewModel() } }
        #expect(
            told == [
                #"{ "kind": "number", "value": 0 }"#, #"{ "kind": "text", "value": "none" }"#, #"{ "kind": "hint" }"#,
                #"{ "kind": "number", "value": 1 }"#, #"{ "kind": "number", "value": 2 }"#,
                #"{ "kind": "text", "value": "two" }"#,
                // Here the next life begins, and tells nothing.
                #"{ "kind": "number", "value": 3 }"#, #"{ "kind": "number", "value": 4 }"#,
                #"{ "kind": "text", "value": "four" }"#,
            ])
    }

    @Test func `a state of its own is saved where it differs, and given back before anybody listens`() async throws {
        let told = try await told(of: Self.set) { registry, life in
            registry.add("own") { OwnStateViewModel(life: life) }
        }
        #expect(
            told
                == [
                    "started in life 1", "[1]", "[1, 2]", "resumed in life 2 with [1, 2]", "[1, 2, 3]", "[1, 2, 3, 4]",
                ].map { #"{ "kind": "text", "value": "\#($0)" }"# })
    }

    @Test func `a state of another version is read by the code that knows it`() async throws {
        let told = try await told(of: Self.set) { registry, life in
            if life == 1 {
                registry.add("own") { PropertiesViewModel() }
            } else {
                registry.add("own") { NewerViewModel() }
            }
        }
        #expect(told.suffix(2) == [#"{ "kind": "count", "value": 23 }"#, #"{ "kind": "count", "value": 27 }"#])
    }

    @Test
    func `a state that can't be read ends that session alone, stays in the store, and is read by other code again`()
        async throws
    {
        let lives = Lives { registry, life in
            if life == 2 {
                registry.add("own") { UnrelatedViewModel() }
            } else {
                registry.add("own") { PropertiesViewModel() }
            }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":7}"#))
        let stored = lives.store.scenes.first?.sessions.first?.turn
        await lives.end()
        let other = try await lives.connect()
        other.send(Wire.attach("1", "life-1-1", since: 4))
        try await other.expect(Wire.attached("1", 1, "own", seq: 4, snapshot: nil, epoch: "epoch-1"))
        let message = try await other.next()
        #expect(message.contains("own failed to start: its state was saved in version 1, and this is version 3"))
        try await other.expect(Wire.closed(1, "failed"))
        // Another session is none the worse for it.
        other.send(Wire.open("2", "own"))
        try await other.expect(Wire.opened("2", 2, "life-2-1", "own"))
        await lives.end()
        #expect(lives.store.scenes.first { $0.header.key == "life-1-1" }?.sessions.first?.turn == stored)
        try await client.perform(.send("own", #"{"kind":"set","value":8}"#))
        #expect(client.told["own"]?[5] == #"{ "kind": "number", "value": 8 }"#)
        await lives.end()
    }

    @Test func `a view model that can't be saved ends its life, and goes on from what was stored last`() async throws {
        let lives = Lives { registry, _ in registry.add("own") { UnsavableViewModel() } }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":1}"#))
        let direct = try await lives.connect()
        direct.send(Wire.attach("1", "life-1-1", since: 2))
        try await direct.expect(Wire.attached("1", 1, "own", seq: 2, snapshot: nil))
        direct.send(Wire.viewEvent("2", 1, #"{"kind":"set","value":2}"#))
        let answer = try await direct.next()
        #expect(answer.contains(#""id":2,"error":{"code":-32014,"#), "\(answer)")
        #expect(answer.contains("it isn't stored (own can't be saved: NoTwo()); its session goes on"), "\(answer)")
        try await direct.expect(Wire.closed(1, "failed"))
        direct.send(Wire.attach("3", "life-1-1", since: 2))
        try await direct.expect(Wire.attached("3", 2, "own", seq: 2, snapshot: nil, epoch: "epoch-1"))
        direct.send(Wire.viewEvent("4", 2, #"{"kind":"set","value":3}"#))
        try await direct.expect(Wire.event(2, 3, #"{"kind":"text","value":"[1, 3]"}"#), Wire.seq("4", 3))
        await lives.end()
        #expect(lives.log.contains { $0.contains("own can't be saved, so this life of its scene ends") })
    }
}

private enum SetEvent: Codable, Sendable {
    case set(Int)
}

/// Some properties change, some don't.
private actor PropertiesViewModel: ObservableViewModel, DurableViewModel {
    typealias ViewEvent = SetEvent

    @Observed var number = 0
    let text = Dynamic("none")
    @Observed var hint: String?
    @Saved private var total = 0

    func handle(event: SetEvent) {
        guard case .set(let value) = event else { return }
        number = value
        total += value
        if value.isMultiple(of: 2) { text.value = value == 2 ? "two" : "four" }
    }
}

/// Reads the state of `PropertiesViewModel`.
private actor NewerViewModel: ObservableViewModel, DurableViewModel {
    typealias ViewEvent = SetEvent

    private struct VersionOne: Decodable {
        var total: Int
        var hint: String?
    }

    static let savedStateVersion = 2

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        SavedProperties(["count": try VersionOne(from: decoder).total + 17])
    }

    @Observed var count = 0

    func handle(event: SetEvent) {
        if case .set(let value) = event { count += value }
    }
}

/// Reads no other state.
private actor UnrelatedViewModel: ObservableViewModel, DurableViewModel {
    typealias ViewEvent = SetEvent

    static let savedStateVersion = 3

    func handle(event: SetEvent) {}
}

private actor OwnStateViewModel: ViewModel, DurableViewModel {
    enum ViewModelEvent: Codable, Sendable { case text(String) }

    struct SavedState: Codable, Sendable {
        var numbers: [Int]
    }

    let output = Output<ViewModelEvent>()
    private let life: Int
    private var numbers: [Int] = []

    init(life: Int) { self.life = life }

    var savedState: SavedState { SavedState(numbers: numbers) }
    func restore(_ savedState: SavedState) {
        numbers = savedState.numbers
        output.send(.text("nobody hears this"))
    }

    func start() { output.send(.text("started in life \(life)")) }
    func resume() { output.send(.text("resumed in life \(life) with \(numbers)")) }

    func handle(event: SetEvent) {
        guard case .set(let number) = event else { return }
        numbers.append(number)
        output.send(.text("\(numbers)"))
    }
}

/// Can't be saved with a 2.
private actor UnsavableViewModel: ViewModel, DurableViewModel {
    enum ViewModelEvent: Codable, Sendable { case text(String) }

    struct NoTwo: Error {}

    let output = Output<ViewModelEvent>()
    private var numbers: [Int] = []

    var savedState: [Int] { get throws { numbers.contains(2) ? try { throw NoTwo() }() : numbers } }
    func restore(_ savedState: [Int]) { numbers = savedState }

    func start() { output.send(.text("\(numbers)")) }

    func handle(event: SetEvent) {
        guard case .set(let number) = event else { return }
        numbers.append(number)
        output.send(.text("\(numbers)"))
    }
}
