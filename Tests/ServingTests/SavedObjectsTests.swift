import Sessions
import TestSupport
import Testing
import ViewModels

/// Values of classes, which change without a property being set.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SavedObjectsTests {
    @Test(arguments: ["a property", "a property of a shared object"])
    func `what changes within an object is stored, though no property is set`(_ place: String) async throws {
        let lives = Lives { registry, _ in
            if place == "a property" {
                registry.add("own") { WithObjects() }
            } else {
                registry.add("own", WithSharedObjects.self)
            }
        }
        let client = ReturningClient { try await lives.connect() }
        try await client.perform(.open("own"))
        // The first turn of a life, and the second one.
        for (round, value) in ["a", "b", "c", "d"].enumerated() {
            try await client.perform(.send("own", #"{"kind":"set","value":"\#(value)"}"#))
            if round == 1 { await lives.end() }
        }
        await lives.end()
        #expect(try await lives.snapshots(2) == ["a b c d", "a b c d"])
    }

    @Test func `a turn whose shared object can't be saved isn't stored, and the session goes on from before it`()
        async throws
    {
        let lives = Lives { registry, _ in registry.add("purse", WithPurse.self) }
        let client = try await lives.connect()
        client.send(Wire.request("\"open\"", "session/open", #"{"viewModel":"purse","client":"me"}"#))
        func answer(_ event: String, _ number: Int) async throws -> String {
            client.send(Wire.viewEvent("\(number)", 1, #"{"kind":"\#(event)"}"#, #","number":\#(number)"#))
            while true {
                let message = try await client.next()
                if message.contains(#""id":\#(number)"#) { return message }
            }
        }
        #expect(try await answer("count", 1).contains("result"))
        let failed = try await answer("divide", 2)
        #expect(failed.contains("-32014") && failed.contains("share can't be saved"), "\(failed)")
        let back = try await lives.connect()
        back.send(Wire.request("1", "session/attach", #"{"key":"life-1-1","client":"me"}"#))
        let attached = try await back.next()
        #expect(attached.contains(#""handled":1"#) && attached.contains(#""value":"1 1""#), "\(attached)")
        back.send(Wire.viewEvent("2", 1, #"{"kind":"count"}"#, #","number":2"#))
        while try await !back.next().contains(#""id":2,"result""#) {}
        await lives.end()
        #expect(try await lives.snapshots(2) == ["2 2", "2 2"])
    }
}

private actor WithPurse: ViewModel, PerRequest, DurableViewModel {
    enum ViewEvent: Codable, Sendable { case count, divide }

    final class Purse: DurableSingleton {
        let coins = Saved(0)
        let ratio = Saved(0.0)

        init(container: Container, arguments: Void) {}
    }

    let output = Output<TextEvent>()
    @Saved private var count = 0
    private let purse: Purse

    init(container: Container, arguments: Void) throws { purse = try container.resolve() }

    func handle(event: ViewEvent) {
        count += 1
        purse.coins.wrappedValue += 1
        if event == .divide { purse.ratio.wrappedValue = .nan }
        output.send(.text("\(count)"))
    }

    func snapshot() -> [TextEvent] { [.text("\(count) \(purse.coins.wrappedValue)")] }
}

private enum SetEvent: Codable, Sendable { case set(String) }
private enum TextEvent: Codable, Sendable { case text(String) }

/// Sendable, as far as its author says.
private final class Words: Codable, @unchecked Sendable {
    var all: [String] = []
}

private struct Shelf: Codable, Sendable {
    var words = [Words(), Words()]
}

private actor WithObjects: ViewModel, DurableViewModel {
    let output = Output<TextEvent>()
    @Saved private var shelf = Shelf()
    @Saved private var other = ""

    func handle(event: SetEvent) {
        guard case .set(let text) = event else { return }
        shelf.words[1].all.append(text)
        output.send(.text(text))
    }

    func snapshot() -> [TextEvent] { [.text(shelf.words[1].all.joined(separator: " "))] }
}

private actor WithSharedObjects: ViewModel, PerRequest, DurableViewModel {
    final class Chest: DurableSingleton {
        let words = Saved(Words())

        init(container: Container, arguments: Void) {}
    }

    let output = Output<TextEvent>()
    @Saved private var other = ""
    private let chest: Chest

    init(container: Container, arguments: Void) throws { chest = try container.resolve() }

    func handle(event: SetEvent) {
        guard case .set(let text) = event else { return }
        chest.words.wrappedValue.all.append(text)
        output.send(.text(text))
    }

    func snapshot() -> [TextEvent] { [.text(chest.words.wrappedValue.all.joined(separator: " "))] }
}
