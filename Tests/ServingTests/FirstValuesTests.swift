import Sessions
import TestSupport
import Testing
import Transport
import ViewModels

/// Code that changes what is stored, and says nothing of a part of it: that part isn't lost in silence, and what is new is
/// stored before it is told.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct FirstValuesTests {
    @Test(arguments: ["a property", "a property of a shared object", "a member of a whole state"])
    func `the first value of what is new in the code is the same in each life from then on`(
        _ place: String
    ) async throws {
        let lives = Lives { registry, life in
            switch place {
            case "a property":
                if life == 1 { registry.add("own", Before.Model.self) } else { registry.add("own", WithRandom.self) }
            case "a property of a shared object":
                if life == 1 { registry.add("own", Before.Model.self) } else { registry.add("own", WithShared.self) }
            default:
                if life == 1 {
                    registry.add("own") { WholeBefore() }
                } else {
                    registry.add("own") { WholeWithRandom() }
                }
            }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":"stored"}"#))
        await lives.end()

        let told = try await lives.snapshots(3)
        #expect(told[0].hasPrefix("stored made ") && Set(told).count == 1, "\(told)")
    }

    @Test func `rows that are made on demand now, and were kept before, are in the log`() async throws {
        let lives = Lives { registry, life in
            if life == 2 { registry.add("own") { MadeRows() } } else { registry.add("own") { KeptRows() } }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":"a"}"#))
        await lives.end()
        _ = try await lives.snapshots(1)
        let line = "own: 'rows' of session life-1-1… is stored and read by nothing"
        #expect(lives.log.contains { $0.contains(line) }, "\(lives.log)")
        #expect(try await lives.snapshots(1) == ["a"])
        #expect(lives.log.count { $0.contains("'rows' of session") } == 1, "\(lives.log)")
    }

    @Test func `a shared object that a handler can't have, since its values can't be read, is in the log`()
        async throws
    {
        let lives = Lives { registry, life in
            if life == 1 { registry.add("own", Before.Model.self) } else { registry.add("own", LateReader.self) }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":"a"}"#))
        await lives.end()
        let other = try await lives.connect()
        other.send(Wire.attach("1", "life-1-1"), Wire.viewEvent("2", 1, #"{"kind":"set","value":"b"}"#))
        var answer = ""
        repeat { answer = try await other.next() } while !answer.contains(#""id":2"#)
        #expect(answer.contains("Chest: the saved value of 'first' can't be read"), "\(answer)")
        await lives.end()
        let line = "session life-1-1… can't have a shared object, whose values stay in the store: Chest: the saved"
        #expect(lives.log.contains { $0.contains("own: \(line)") }, "\(lives.log)")
    }

    @Test(arguments: ["a property", "a property of a shared object", "an object that the snapshot asks for"])
    func `a snapshot waits until the first values in it are stored`(_ place: String) async throws {
        let lives = Lives { registry, life in
            switch (life, place) {
            case (1, _): registry.add("own", Before.Model.self)
            case (_, "a property"): registry.add("own", WithRandom.self)
            case (_, "a property of a shared object"): registry.add("own", WithShared.self)
            default: registry.add("own", WithLateShared.self)
            }
        }
        let returning = ReturningClient { try await lives.connect() }
        try await returning.perform(.open("own"))
        try await returning.perform(.send("own", #"{"kind":"set","value":"stored"}"#))
        await lives.end()

        try await lives.begin()
        let end = Semaphore()
        lives.store.hold(until: end, storing: "made ")
        let client = try await #require(lives.server).connected()
        client.send(Wire.attach("1", "life-1-1"))
        await until { lives.store.isHeld }
        client.send(Wire.request("2", "ping"))
        let first = try await client.next()
        #expect(first.contains(#""id":2"#), "\(first)")
        end.post()
        let answer = try await client.next()
        #expect(answer.contains(#""id":1,"result""#) && answer.contains("stored made "), "\(answer)")
        await lives.end()
    }

    @Test func `a property that a raised version takes nothing of stays in the store, and the log has a line`()
        async throws
    {
        let lives = Lives { registry, life in
            switch life {
            case 1: registry.add("own", Before.Model.self)
            case 2: registry.add("own", RaisedAndForgotten.self)
            default: registry.add("own", RaisedAndMended.self)
            }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":"old"}"#))
        await lives.end()
        #expect(try await lives.snapshots(1) == ["none"])
        let line = "'title' of session life-1-1… is stored and read by nothing, and stays in the store: "
        let reason = "savedState(from:version:) reads version 1 without it"
        #expect(lives.log.contains { $0.contains(line + reason) }, "\(lives.log)")
        #expect(!lives.log.contains { $0.contains("'note'") }, "\(lives.log)")
        let stored = lives.store.scenes.flatMap(\.sessions).flatMap(\.turn.saved).filter { !$0.text.isEmpty }
        #expect(stored.map(\.name).sorted() == ["heading", "title"])
        #expect(try await lives.snapshots(1) == ["old"])
    }

    @Test func `so does a value of a shared object`() async throws {
        let lives = Lives { registry, life in
            if life == 1 { registry.add("own", Before.Model.self) } else { registry.add("own", SharedRaised.self) }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":"old"}"#))
        await lives.end()
        _ = try await lives.snapshots(1)
        #expect(lives.log.contains { $0.contains("'Chest/first' of session life-1-1… is stored") }, "\(lives.log)")
        let stored = lives.store.scenes.flatMap(\.shared).filter { !$0.text.isEmpty }.map(\.name).sorted()
        #expect(stored == ["Chest/", "Chest/first", "Chest/other"])
    }

    @Test func `members that nothing reads are in the log before the next change takes them`() async throws {
        let lives = Lives { registry, life in
            if life == 1 { registry.add("own", NestedBefore.self) } else { registry.add("own", NestedAfter.self) }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":"x"}"#))
        await lives.end()
        #expect(!lives.log.contains { $0.contains("read by nothing") }, "\(lives.log)")
        _ = try await lives.snapshots(1)
        let ofState = """
            own: 'owner/age', 'pets/0/name' of session life-1-1… are stored and read by nothing, and go from the store with the \
            next change of what they are part of
            """
        #expect(lives.log.contains { $0.contains(ofState) }, "\(lives.log)")
        #expect(lives.log.contains { $0.contains("'Chest/lock/code' of session life-1-1… is stored") }, "\(lives.log)")
    }
}

private enum SetEvent: Codable, Sendable { case set(String) }
private enum TextEvent: Codable, Sendable { case text(String) }

private actor LateReader: ViewModel, PerRequest, DurableViewModel {
    final class Chest: DurableSingleton {
        static let savedName = "Chest"
        private let first = Saved(1)

        init(container: Container, arguments: Void) {}
    }

    let output = Output<TextEvent>()
    @Saved private var title = ""
    @Saved private var note = ""
    private let container: Container

    init(container: Container, arguments: Void) { self.container = container }

    func handle(event: SetEvent) throws { _ = try container.resolve(Chest.self) }
    func snapshot() -> [TextEvent] { [.text(title)] }
}

private actor KeptRows: ViewModel, DurableViewModel {
    let output = Output<TextEvent>()
    private let rows = Rows<String>([])

    func handle(event: SetEvent) {
        guard case .set(let text) = event else { return }
        rows.append(text)
        output.send(.text(text))
    }

    func snapshot() -> [TextEvent] { [.text(rows.all.joined(separator: " "))] }
}

private actor MadeRows: ViewModel, DurableViewModel {
    let output = Output<TextEvent>()
    private let rows = Rows<String>(count: 3) { range in range.map(String.init) }

    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text("made")] }
}

private func random() -> String { "made \(UInt64.random(in: .min ... .max))" }

private enum Before {
    final class Chest: DurableSingleton {
        static let savedName = "Chest"
        private let first = Saved("first")

        init(container: Container, arguments: Void) {}
    }

    actor Model: ViewModel, PerRequest, DurableViewModel {
        let output = Output<TextEvent>()
        @Saved private var title = ""
        @Saved private var note = ""
        private let chest: Chest

        init(container: Container, arguments: Void) throws { chest = try container.resolve() }

        func handle(event: SetEvent) {
            guard case .set(let text) = event else { return }
            title = text
            output.send(.text(text))
        }
    }
}

private actor WithRandom: ViewModel, PerRequest, DurableViewModel {
    let output = Output<TextEvent>()
    @Saved private var title = ""
    @Saved private var note = ""
    @Saved private var made = random()

    init(container: Container, arguments: Void) {}

    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text("\(title) \(made)")] }
}

private actor WithShared: ViewModel, PerRequest, DurableViewModel {
    final class Chest: DurableSingleton {
        static let savedName = "Chest"
        private let first = Saved("first")
        let made = Saved(random())

        init(container: Container, arguments: Void) {}
    }

    let output = Output<TextEvent>()
    @Saved private var title = ""
    @Saved private var note = ""
    private let chest: Chest

    init(container: Container, arguments: Void) throws { chest = try container.resolve() }

    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text("\(title) \(chest.made.wrappedValue)")] }
}

private actor WithLateShared: ViewModel, PerRequest, DurableViewModel {
    let output = Output<TextEvent>()
    @Saved private var title = ""
    @Saved private var note = ""
    private let container: Container

    init(container: Container, arguments: Void) { self.container = container }

    func handle(event: SetEvent) {}

    func snapshot() -> [TextEvent] {
        let chest = try? container.resolve(WithShared.Chest.self)
        return [.text("\(title) \(chest?.made.wrappedValue ?? "without")")]
    }
}

private actor WholeBefore: ViewModel, DurableViewModel {
    struct State: Codable { var title: String }

    let output = Output<TextEvent>()
    private var title = ""
    var savedState: State { State(title: title) }

    func restore(_ state: State) { title = state.title }

    func handle(event: SetEvent) {
        guard case .set(let text) = event else { return }
        title = text
        output.send(.text(text))
    }
}

private actor WholeWithRandom: ViewModel, DurableViewModel {
    struct State: Codable { var title: String, made: String? }

    let output = Output<TextEvent>()
    private var title = ""
    private var made = random()
    var savedState: State { State(title: title, made: made) }

    func restore(_ state: State) { (title, made) = (state.title, state.made ?? made) }
    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text("\(title) \(made)")] }
}

private actor RaisedAndForgotten: ViewModel, PerRequest, DurableViewModel {
    static let savedStateVersion = 2

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        struct VersionOne: Decodable { var note: String }
        _ = try VersionOne(from: decoder)
        return SavedProperties([:])
    }

    let output = Output<TextEvent>()
    @Saved private var heading = "none"

    init(container: Container, arguments: Void) {}

    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text(heading)] }
}

private actor RaisedAndMended: ViewModel, PerRequest, DurableViewModel {
    static let savedStateVersion = 3

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        struct VersionOne: Decodable { var title: String }
        return SavedProperties(["heading": try VersionOne(from: decoder).title])
    }

    let output = Output<TextEvent>()
    @Saved private var heading = "none"

    init(container: Container, arguments: Void) {}

    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text(heading)] }
}

private actor SharedRaised: ViewModel, PerRequest, DurableViewModel {
    final class Chest: DurableSingleton {
        static let savedName = "Chest"
        static let savedStateVersion = 2
        private let other = Saved("other")

        init(container: Container, arguments: Void) {}

        static func savedState(from decoder: any Decoder, version: Int) -> SavedProperties { SavedProperties([:]) }
    }

    let output = Output<TextEvent>()
    @Saved private var title = ""
    @Saved private var note = ""
    private let chest: Chest

    init(container: Container, arguments: Void) throws { chest = try container.resolve() }

    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text(title)] }
}

private actor NestedBefore: ViewModel, PerRequest, DurableViewModel {
    struct Owner: Codable, Sendable { var name = "", age = 36 }
    struct Pet: Codable, Sendable { var kind = "cat", name = "Tom" }
    struct Lock: Codable, Sendable { var code = 7, kind = "" }

    final class Chest: DurableSingleton {
        static let savedName = "Chest"
        private let lock = Saved(Lock())

        init(container: Container, arguments: Void) {}
    }

    let output = Output<TextEvent>()
    @Saved private var owner = Owner()
    @Saved private var pets = [Pet(), Pet()]
    private let chest: Chest

    init(container: Container, arguments: Void) throws { chest = try container.resolve() }

    func handle(event: SetEvent) { output.send(.text("set")) }
}

private actor NestedAfter: ViewModel, PerRequest, DurableViewModel {
    struct Owner: Codable, Sendable { var name = "" }
    struct Pet: Codable, Sendable { var kind = "cat" }
    struct Lock: Codable, Sendable { var kind = "" }

    final class Chest: DurableSingleton {
        static let savedName = "Chest"
        private let lock = Saved(Lock())

        init(container: Container, arguments: Void) {}
    }

    let output = Output<TextEvent>()
    @Saved private var owner = Owner()
    @Saved private var pets: [Pet] = []
    private let chest: Chest

    init(container: Container, arguments: Void) throws { chest = try container.resolve() }

    func handle(event: SetEvent) {}
    func snapshot() -> [TextEvent] { [.text(owner.name)] }
}
