import TestSupport
import Testing
import ViewModels

@testable import Sessions

/// What is stored outlives the names of the code that stored it: nothing reads it for a while, and it is all there.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct MovedCodeTests {
    @Test func `what code with other names doesn't read is in the log, and stays for code that does`() async throws {
        let lives = Lives { registry, life in
            switch life {
            case 1: registry.add("own", OwnerBefore<Before.Basket>.self)
            case 2: registry.add("own", OwnerAfter<After.Cart>.self)
            default: registry.add("own", OwnerBefore<After.NamedCart>.self)
            }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":7}"#))
        await lives.end()
        #expect(!lives.log.contains { $0.contains("stays in the store") }, "\(lives.log)")

        try await client.perform(.send("own", #"{"kind":"set","value":1}"#))
        await lives.end()
        #expect(client.told["own"]?.values.contains(#"{ "kind": "number", "value": 101 }"#) == true, "\(client.told)")
        let words = lives.log.filter { $0.contains("and stays in the store") }
        #expect(words.count == 2, "\(lives.log)")
        #expect(words.contains { $0.contains("own: 'note' of session life-1-1… is stored and read by nothing") })
        #expect(words.contains { $0.contains("'Before.Basket/count' of session life-1-1… is stored and not read so") })
        #expect(words.contains { $0.contains(#"give it static let savedName = "Before.Basket""#) })

        try await client.perform(.send("own", #"{"kind":"set","value":2}"#))
        await lives.end()
        #expect(client.told["own"]?.values.contains(#"{ "kind": "number", "value": 909 }"#) == true, "\(client.told)")
    }

    @Test func `an object whose property says that it is made when needed isn't said to be read by nothing`()
        async throws
    {
        let lives = Lives { registry, _ in registry.add("own") { LateOwner($0) } }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":7}"#))
        await lives.end()
        // In this life it is made by the second event, and the scene goes on before.
        try await client.perform(.send("own", #"{"kind":"set","value":0}"#))
        try await client.perform(.send("own", #"{"kind":"set","value":1}"#))
        await lives.end()
        #expect(client.told["own"]?.values.contains(#"{ "kind": "number", "value": 8 }"#) == true, "\(client.told)")
        #expect(!lives.log.contains { $0.contains("stays in the store") }, "\(lives.log)")
    }

    @Test func `a store of a server that named objects by their modules is read, and is as a new one after that`()
        async throws
    {
        let lives = Lives { registry, _ in registry.add("own", OwnerBefore<Before.Basket>.self) }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        try await client.perform(.send("own", #"{"kind":"set","value":7}"#))
        await lives.end()
        let text = try #require(lives.store.scenes.first?.shared.first { $0.name == "Before.Basket/count" }?.text)
        // As it was before, of a type in another module.
        let changes: [StoredChange] = [
            .share(
                scene: "life-1-1",
                values: [
                    SavedValue(name: "Shop.Before.Basket.count", text: text),
                    SavedValue(name: "Before.Basket/count", text: []),
                ])
        ]
        try #expect(lives.store.commit([SceneCommit(scene: "life-1-1", changes: changes)]) == [.stored])

        try await client.perform(.send("own", #"{"kind":"set","value":1}"#))
        await lives.end()
        #expect(client.told["own"]?.values.contains(#"{ "kind": "number", "value": 808 }"#) == true, "\(client.told)")
        #expect(!lives.log.contains { $0.contains("stays in the store") }, "\(lives.log)")
        let shared = lives.store.scenes.first?.shared.filter { !$0.text.isEmpty }
        #expect(shared?.map(\.name) == ["Before.Basket/count"])
    }
}

private enum SetEvent: Codable, Sendable { case set(Int) }
private enum NumberEvent: Codable, Sendable { case number(Int) }

private protocol Counting: DurableSingleton {
    var count: Saved<Int> { get }
}

private enum Before {
    final class Basket: Counting {
        let count = Saved(0)

        init(container: Container, arguments: Void) {}
    }
}

private enum After {
    final class Cart: Counting {
        let count = Saved(0)

        init(container: Container, arguments: Void) {}
    }

    final class NamedCart: Counting {
        static let savedName = "Before.Basket"

        let count = Saved(0)

        init(container: Container, arguments: Void) {}
    }
}

/// The numbers of a basket and of a note: hundreds and ones.
private actor OwnerBefore<Basket: Counting>: ViewModel, PerRequest, DurableViewModel {
    let output = Output<NumberEvent>()
    @Saved private var note = 0
    private let basket: Basket

    init(container: Container, arguments: Void) throws { basket = try container.resolve() }

    func handle(event: SetEvent) {
        guard case .set(let value) = event else { return }
        note += value
        basket.count.update { $0 += value }
        output.send(.number(basket.count.wrappedValue * 100 + note))
    }
}

/// The same with another name for the note.
private actor OwnerAfter<Basket: Counting>: ViewModel, PerRequest, DurableViewModel {
    let output = Output<NumberEvent>()
    @Saved private var remark = 0
    private let basket: Basket

    init(container: Container, arguments: Void) throws { basket = try container.resolve() }

    func handle(event: SetEvent) {
        guard case .set(let value) = event else { return }
        remark += value
        basket.count.update { $0 += value }
        output.send(.number(basket.count.wrappedValue * 100 + remark))
    }
}

/// Asks for its basket when it has something to put in.
private actor LateOwner: ViewModel, DurableViewModel {
    let output = Output<NumberEvent>()
    private let container: Container
    private var basket: Before.Basket?

    init(_ container: Container) { self.container = container }

    func handle(event: SetEvent) throws {
        guard case .set(let value) = event, value > 0 else { return }
        let basket: Before.Basket = try container.resolve()
        self.basket = basket
        basket.count.update { $0 += value }
        output.send(.number(basket.count.wrappedValue))
    }
}
