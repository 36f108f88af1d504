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
