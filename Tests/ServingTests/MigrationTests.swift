import Sessions
import TestSupport
import Testing
import ViewModels

/// Code that changes: state, shared objects and arguments go on under new names and in new forms, in one way.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct MigrationTests {
    /// A version of the code.
    enum Code: String, Sendable {
        case one, renamed, two

        fileprivate func register(in registry: inout Registry) {
            switch self {
            case .one: register(One.self, in: &registry)
            case .renamed: register(Renamed.self, in: &registry)
            case .two: register(Two.self, in: &registry)
            }
        }

        private func register<Form: StoredForm>(_ form: Form.Type, in registry: inout Registry) {
            registry.add("own", Form.Model.self)
            registry.add("host", Host<Form>.self)
            registry.addChild("part", Form.Model.self)
        }
    }

    /// A client's view model, or one that another shows.
    private static func steps(isChild: Bool) -> [ReturningClient.Step] {
        isChild
            ? [.open("host"), .send("host", #"{"kind":"add","value":5}"#), .attach("part")]
            : [.open("own", arguments: #"{"start":5}"#)]
    }

    private static func lives(_ codes: [Code]) -> Lives {
        Lives { registry, life in codes[min(life, codes.count) - 1].register(in: &registry) }
    }

    @Test(arguments: [false, true])
    func `CodingKeys keep what is stored under another name, and older code reads it again`(
        _ isChild: Bool
    ) async throws {
        let lives = Self.lives([.one, .renamed, .one])
        let name = isChild ? "part" : "own"
        let client = ReturningClient { try await lives.connect() }
        for step in Self.steps(isChild: isChild) { try await client.perform(step) }
        for (value, told) in [(7, "5 7 7"), (1, "5 8 8"), (2, "5 10 10")] {
            try await client.perform(.send(name, #"{"kind":"add","value":\#(value)}"#))
            await lives.end()
            #expect(client.told[name]?.values.contains { $0.contains(#""\#(told)""#) } == true, "\(client.told)")
        }
        #expect(!lives.log.contains { $0.contains("read by nothing") }, "\(lives.log)")
        let saved = lives.store.scenes.flatMap(\.sessions).flatMap(\.turn.saved).filter { !$0.text.isEmpty }.map(\.name)
        #expect(saved == ["total"])
        #expect(lives.store.scenes.flatMap(\.shared).filter { !$0.text.isEmpty }.map(\.name) == ["Basket/count"])
    }

    @Test(arguments: [false, true])
    func `a hook reads what an older version has stored`(_ isChild: Bool) async throws {
        let lives = Self.lives([.one, .two, .two])
        let name = isChild ? "part" : "own"
        let client = ReturningClient { try await lives.connect() }
        for step in Self.steps(isChild: isChild) { try await client.perform(step) }
        for (value, told) in [(7, "5 7 7"), (1, "[5] [7, 1] [7, 1]"), (2, "[5] [7, 1, 2] [7, 1, 2]")] {
            try await client.perform(.send(name, #"{"kind":"add","value":\#(value)}"#))
            await lives.end()
            #expect(client.told[name]?.values.contains { $0.contains(#""\#(told)""#) } == true, "\(client.told)")
        }
        let session = try #require(lives.store.scenes.flatMap(\.sessions).first { $0.header.viewModel == name })
        // Arguments stay as they were given.
        #expect((session.header.argumentsVersion, session.turn.savedVersion) == (1, 2))
        let shared = lives.store.scenes.flatMap(\.shared).filter { !$0.text.isEmpty }
        #expect(
            shared.map { "\($0.name)=\(String(decoding: $0.text, as: UTF8.self))" }.sorted() == [
                "Basket/=2", "Basket/counts=[7,1,2]",
            ])
    }

    @Test func `older code tells a client what it can't read, and loses nothing of it`() async throws {
        let lives = Self.lives([.two, .one, .two])
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own", arguments: #"{"starts":[5]}"#))
        try await client.perform(.send("own", #"{"kind":"add","value":7}"#))
        await lives.end()
        let stored = lives.store.scenes
        #expect(stored.first?.sessions.first?.header.argumentsVersion == 2)

        let other = try await lives.connect()
        other.send(Wire.attach("1", "life-1-1", since: 0))
        #expect(try await other.next().contains(#""id":1,"result""#))
        var message = ""
        repeat { message = try await other.next() } while !message.contains("window/logMessage")
        #expect(
            message.contains("its arguments were saved in version 2 by newer code, and this is version 1"), "\(message)"
        )
        try await other.expect(Wire.closed(1, "failed"))
        await lives.end()
        let line = "own: session life-1-1… can't go on, and stays in the store: the arguments of this stored session"
        #expect(lives.log.contains { $0.contains(line) }, "\(lives.log)")
        #expect(lives.store.scenes.flatMap(\.sessions).map(\.turn) == stored.flatMap(\.sessions).map(\.turn))
        #expect(lives.store.scenes.map(\.shared) == stored.map(\.shared))

        try await client.perform(.send("own", #"{"kind":"add","value":1}"#))
        await lives.end()
        #expect(client.told["own"]?.values.contains { $0.contains(#""[5] [7, 1] [7, 1]""#) } == true, "\(client.told)")
    }

    @Test func `older code tells a shown view model what it can't read, and loses nothing of it`() async throws {
        let lives = Self.lives([.two, .one, .two])
        let client = ReturningClient { try await lives.connect() }
        for step in Self.steps(isChild: true) { try await client.perform(step) }
        try await client.perform(.send("part", #"{"kind":"add","value":7}"#))
        await lives.end()
        let stored = try #require(lives.store.scenes.first?.sessions.last)
        #expect(stored.header.argumentsVersion == 2)

        let other = try await lives.connect()
        other.send(Wire.attach("1", "life-1-1", since: 0))
        var message = ""
        while !message.contains("part failed to start") { message = try await other.next() }
        #expect(
            message.contains("its arguments were saved in version 2 by newer code, and this is version 1"), "\(message)"
        )
        await lives.end()
        let kept = try #require(lives.store.scenes.first?.sessions.last)
        #expect((kept.header, kept.turn.saved, kept.turn.savedVersion) == (stored.header, stored.turn.saved, 2))

        try await client.perform(.send("part", #"{"kind":"add","value":1}"#))
        await lives.end()
        #expect(client.told["part"]?.values.contains { $0.contains(#""[5] [7, 1] [7, 1]""#) } == true, "\(client.told)")
    }

    @Test func `a property that the hook says nothing of is as it was`() async throws {
        let lives = Lives { registry, life in
            if life == 1 { registry.add("own") { Pair() } } else { registry.add("own") { PairTwo() } }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        for (value, told) in [(7, "7 7"), (1, "[7, 1] 8")] {
            try await client.perform(.send("own", #"{"kind":"add","value":\#(value)}"#))
            await lives.end()
            #expect(client.told["own"]?.values.contains { $0.contains(#""\#(told)""#) } == true, "\(client.told)")
        }
    }
}

private enum AddEvent: Codable, Sendable { case add(Int) }
private enum TextEvent: Codable, Sendable { case text(String) }

/// What a version of the code stores.
private protocol StoredForm: Sendable {
    associatedtype Model: HostableViewModel & PerRequest
    where Model.HostedViewEvent: Decodable, Model.HostedEvent: Encodable, Model.Arguments: Decodable & Sendable

    static func arguments(_ number: Int) -> Model.Arguments
}

/// Shows the other one.
private actor Host<Form: StoredForm>: ViewModel, PerRequest, DurableViewModel {
    let output = Output<TextEvent>()
    private let navigation: NavigationService

    init(container: Container, arguments: Void) throws { navigation = try container.resolve() }

    func handle(event: AddEvent) throws {
        guard case .add(let number) = event else { return }
        try navigation.push(Form.Model.self, arguments: Form.arguments(number))
    }
}

private enum One: StoredForm {
    struct Arguments: Codable, Sendable { var start: Int }

    final class Basket: DurableSingleton {
        static let savedName = "Basket"

        let count = Saved(0)

        init(container: Container, arguments: Void) {}
    }

    actor Model: ViewModel, PerRequest, DurableViewModel {
        let output = Output<TextEvent>()
        @Saved private var total = 0
        private let basket: Basket
        private let arguments: Arguments

        init(container: Container, arguments: Arguments) throws {
            basket = try container.resolve()
            self.arguments = arguments
        }

        func start() { output.send(.text("start")) }

        func handle(event: AddEvent) {
            guard case .add(let number) = event else { return }
            total += number
            basket.count.update { $0 += number }
            output.send(.text("\(arguments.start) \(total) \(basket.count.wrappedValue)"))
        }
    }

    static func arguments(_ number: Int) -> Arguments { Arguments(start: number) }
}

/// Three lines more for each other name.
private enum Renamed: StoredForm {
    struct Arguments: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case first = "start"
        }

        var first: Int
    }

    final class Basket: DurableSingleton {
        static let savedName = "Basket"

        enum CodingKeys: String, CodingKey {
            case number = "count"
        }

        let number = Saved(0)

        init(container: Container, arguments: Void) {}
    }

    actor Model: ViewModel, PerRequest, DurableViewModel {
        enum CodingKeys: String, CodingKey {
            case sum = "total"
        }

        let output = Output<TextEvent>()
        @Saved private var sum = 0
        private let basket: Basket
        private let arguments: Arguments

        init(container: Container, arguments: Arguments) throws {
            basket = try container.resolve()
            self.arguments = arguments
        }

        func start() { output.send(.text("start")) }

        func handle(event: AddEvent) {
            guard case .add(let number) = event else { return }
            sum += number
            basket.number.update { $0 += number }
            output.send(.text("\(arguments.first) \(sum) \(basket.number.wrappedValue)"))
        }
    }

    static func arguments(_ number: Int) -> Arguments { Arguments(first: number) }
}

/// Other forms.
private enum Two: StoredForm {
    struct Arguments: Codable, DurableArguments {
        static let savedStateVersion = 2

        static func savedState(from decoder: any Decoder, version: Int) throws -> Arguments {
            Arguments(starts: [try One.Arguments(from: decoder).start])
        }

        var starts: [Int]
    }

    final class Basket: DurableSingleton {
        static let savedName = "Basket"
        static let savedStateVersion = 2

        static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
            struct VersionOne: Decodable { var count: Int }
            return SavedProperties(["counts": [try VersionOne(from: decoder).count]])
        }

        let counts = Saved<[Int]>([])

        init(container: Container, arguments: Void) {}
    }

    actor Model: ViewModel, PerRequest, DurableViewModel {
        static let savedStateVersion = 2

        static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
            struct VersionOne: Decodable { var total: Int }
            return SavedProperties(["numbers": [try VersionOne(from: decoder).total]])
        }

        let output = Output<TextEvent>()
        @Saved private var numbers: [Int] = []
        private let basket: Basket
        private let arguments: Arguments

        init(container: Container, arguments: Arguments) throws {
            basket = try container.resolve()
            self.arguments = arguments
        }

        func start() { output.send(.text("start")) }

        func handle(event: AddEvent) {
            guard case .add(let number) = event else { return }
            numbers.append(number)
            basket.counts.update { $0.append(number) }
            output.send(.text("\(arguments.starts) \(numbers) \(basket.counts.wrappedValue)"))
        }
    }

    static func arguments(_ number: Int) -> Arguments { Arguments(starts: [number]) }
}

private actor Pair: ViewModel, DurableViewModel {
    let output = Output<TextEvent>()
    @Saved private var total = 0
    @Saved private var other = 0

    func handle(event: AddEvent) {
        guard case .add(let number) = event else { return }
        total += number
        other += number
        output.send(.text("\(total) \(other)"))
    }
}

private actor PairTwo: ViewModel, DurableViewModel {
    static let savedStateVersion = 2

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        struct VersionOne: Decodable { var total: Int }
        return SavedProperties(["total": [try VersionOne(from: decoder).total]])
    }

    let output = Output<TextEvent>()
    @Saved private var total: [Int] = []
    @Saved private var other = 0

    func handle(event: AddEvent) {
        guard case .add(let number) = event else { return }
        total.append(number)
        other += number
        output.send(.text("\(total) \(other)"))
    }
}
