import Sessions
import TestSupport
import Testing
import ViewModels

/// States that an older version of the code has stored: read by its hook, or a clear error for that session alone.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct UnreadableStateTests {
    /// A version of one view model's code.
    enum Code: String, Sendable {
        case numbers, texts, renamed, misnamed, misread, one, two, wholeTwo, propertiesThree

        fileprivate func register(in registry: inout Registry) {
            switch self {
            case .numbers: registry.add("own") { NumberProperty() }
            case .texts: registry.add("own") { TextProperty() }
            case .renamed: registry.add("own") { RenamedProperty() }
            case .misnamed: registry.add("own") { MisnamedProperty() }
            case .misread: registry.add("own") { MisreadProperty() }
            case .one: registry.add("own") { WholeState<OneMember>() }
            case .two: registry.add("own") { WholeState<TwoMembers>() }
            case .wholeTwo: registry.add("own") { WholeState<FromProperties>() }
            case .propertiesThree: registry.add("own") { PropertiesThree() }
            }
        }
    }

    private static let raise = "; raise savedStateVersion to 2, and read version 1 in savedState(from:version:)"

    @Test(
        arguments: [
            (
                .numbers, .texts,
                "the saved value of 'number' can't be read: expected a string but found a number\(raise)"
            ),
            (.one, .two, "its saved state can't be read: /more: missing\(raise)"),
            (.numbers, .one, "its state was saved property by property\(raise)"),
            (.one, .numbers, "its state was saved as a whole, in a SavedState\(raise)"),
            (.renamed, .numbers, "its state was saved in version 2 by newer code, and this is version 1"),
            (
                .numbers, .misnamed,
                "savedState(from:version:) gives a value that can't be taken: MisnamedProperty has no saved property 'cuont'"
            ),
            (
                .numbers, .misread,
                "savedState(from:version:) can't read version 1: /number: expected a string but found a number"
            ),
        ] as [(Code, Code, String)])
    func `a state that can't be read is an error for that session alone, and stays in the store`(
        _ first: Code, _ second: Code, _ words: String
    ) async throws {
        let lives = Lives { registry, life in (life == 2 ? second : first).register(in: &registry) }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":7}"#))
        let stored = lives.store.scenes.first?.sessions.first?.turn
        let count = client.told["own"]?.count ?? 0
        await lives.end()

        let other = try await lives.connect()
        other.send(Wire.attach("1", "life-1-1", since: count))
        try await other.expect(Wire.attached("1", 1, "own", seq: count, snapshot: nil, epoch: "epoch-1"))
        let message = try await other.next()
        #expect(message.contains("own failed to start: \(words)\""), "\(message)")
        try await other.expect(Wire.closed(1, "failed"))
        // Another session is none the worse for it.
        other.send(Wire.open("2", "counter", "{}"))
        try await other.expect(Wire.opened("2", 2, "life-2-1", "counter"))
        await lives.end()
        let line = "own: session life-1-1… can't go on, and stays in the store: \(words)"
        #expect(lives.log.contains { $0.contains(line) }, "\(lives.log)")
        #expect(lives.store.scenes.first { $0.header.key == "life-1-1" }?.sessions.first?.turn == stored)

        try await client.perform(.send("own", #"{"kind":"set","value":8}"#))
        #expect(client.told["own"]?.values.contains(#"{ "kind": "number", "value": 15 }"#) == true, "\(client.told)")
        await lives.end()
    }

    @Test func `a state goes from version to version, from properties to a whole and back, and leaves nothing behind`()
        async throws
    {
        let codes: [Code] = [.numbers, .wholeTwo, .wholeTwo, .propertiesThree, .propertiesThree]
        let lives = Lives { registry, life in codes[life - 1].register(in: &registry) }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        var saved: [String] = []
        for (life, _) in codes.enumerated() {
            try await client.perform(.send("own", #"{"kind":"set","value":\#(life + 1)}"#))
            await lives.end()
            let turn = try #require(lives.store.scenes.first?.sessions.first?.turn)
            let values = turn.saved.filter { !$0.text.isEmpty }.map {
                "\($0.name)=\(String(decoding: $0.text, as: UTF8.self))"
            }
            saved.append("\(turn.savedVersion): \(values.sorted().joined(separator: " "))")
        }
        #expect(
            saved == [
                "1: number=1", #"2: ={"number":3}"#, #"2: ={"number":6}"#, "3: sum=10", "3: sum=15",
            ])
    }
}

private enum SetEvent: Codable, Sendable {
    case set(Int)
}

private enum NumberEvent: Codable, Sendable {
    case number(Int)
}

/// Adds up.
private actor NumberProperty: ViewModel, DurableViewModel {
    let output = Output<NumberEvent>()
    @Saved private var number = 0

    func handle(event: SetEvent) {
        if case .set(let value) = event { number += value }
        output.send(.number(number))
    }
}

private actor TextProperty: ViewModel, DurableViewModel {
    let output = Output<NumberEvent>()
    @Saved private var number = ""

    func handle(event: SetEvent) {}
}

private actor RenamedProperty: ViewModel, DurableViewModel {
    static let savedStateVersion = 2

    let output = Output<NumberEvent>()
    @Saved private var count = 0

    func handle(event: SetEvent) {
        if case .set(let value) = event { count += value }
        output.send(.number(count))
    }
}

private actor MisnamedProperty: ViewModel, DurableViewModel {
    static let savedStateVersion = 2

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        SavedProperties(["cuont": 1])
    }

    let output = Output<NumberEvent>()
    @Saved private var count = 0

    func handle(event: SetEvent) {}
}

private actor MisreadProperty: ViewModel, DurableViewModel {
    static let savedStateVersion = 2

    private struct VersionOne: Decodable {
        var number: String
    }

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        SavedProperties(["count": try VersionOne(from: decoder).number.count])
    }

    let output = Output<NumberEvent>()
    @Saved private var count = 0

    func handle(event: SetEvent) {}
}

private actor PropertiesThree: ViewModel, DurableViewModel {
    static let savedStateVersion = 3

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        SavedProperties(["sum": try OneMember(from: decoder).number])
    }

    let output = Output<NumberEvent>()
    @Saved private var sum = 0

    func handle(event: SetEvent) {
        if case .set(let value) = event { sum += value }
        output.send(.number(sum))
    }
}

private protocol NumberState: Codable, Sendable {
    static var version: Int { get }
    var number: Int { get set }
    init()
}

private struct OneMember: NumberState {
    static let version = 1
    var number = 0
}

private struct TwoMembers: NumberState {
    static let version = 1
    var number = 0
    var more = 0
}

private struct FromProperties: NumberState {
    static let version = 2
    var number = 0
}

/// Adds up.
private actor WholeState<State: NumberState>: ViewModel, DurableViewModel {
    static var savedStateVersion: Int { State.version }

    /// Properties have the names of its members.
    static func savedState(from decoder: any Decoder, version: Int) throws -> State {
        try State(from: decoder)
    }

    let output = Output<NumberEvent>()
    private var state = State()

    var savedState: State { state }
    func restore(_ savedState: State) { state = savedState }

    func handle(event: SetEvent) {
        if case .set(let value) = event { state.number += value }
        output.send(.number(state.number))
    }
}
