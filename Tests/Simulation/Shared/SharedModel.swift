import Sessions
import Synchronization
import TestSupport
import ViewModels

/// What a client asks a `TallyScreen` for.
enum TallyDeed: String, Codable, CaseIterable {
    /// Tells of it.
    case say
    /// The same twice, and waits in between.
    case nap
    /// Counts it, and tells nobody.
    case hush
    /// Shows another one, and tells of it.
    case push
}

enum TallyEvent: Codable, Sendable {
    case add(by: String, number: Int, deed: TallyDeed, wait: Int)
}

enum TallyNews: Codable, Sendable {
    case added(by: String, number: Int, total: Int)
    case rested(total: Int)
}

/// Counts what it is given, on any server: all that it knows is saved.
actor TallyScreen: ViewModel, PerRequest, DurableViewModel {
    struct Arguments: Codable, Sendable {
        var name: String
    }

    let output = Output<TallyNews>()
    private let name: String
    private let truth: SharedTruth
    private let navigation: NavigationService
    @Saved private var total = 0
    /// By client: the number of the last event.
    @Saved private var numbers: [String: Int] = [:]
    @Saved private var children = 0

    init(container: Container, arguments: Arguments) throws {
        name = arguments.name
        truth = try container.resolve()
        navigation = try container.resolve()
    }

    func handle(event: TallyEvent) async throws {
        guard case .add(let client, let number, let deed, let wait) = event else { return }
        let last = numbers[client, default: 0]
        if number != last + 1 { truth.violate("D2: \(name) is given \(client)'s event \(number) after \(last)") }
        numbers[client] = number
        total += 1
        if deed == .push, children < 2, !name.contains("/") {
            children += 1
            try navigation.push(Self.self, arguments: Arguments(name: "\(name)/\(children)"))
        }
        if deed != .hush { output.send(.added(by: client, number: number, total: total)) }
        guard deed == .nap else { return }
        try await truth.clock.sleep(for: .milliseconds(wait))
        output.send(.rested(total: total))
    }
}

/// What is wrong in one simulation. Locked, as view models have it; in a simulation there is one thread.
final class SharedTruth: Sendable {
    let clock: ManualClock
    private let found = Mutex<[String]>([])

    init(clock: ManualClock) {
        self.clock = clock
    }

    var violations: [String] { found.withLock { $0 } }

    func violate(_ what: String) {
        found.withLock { $0.append("at \(clock.now.offset): \(what)") }
    }

    /// What a server of the simulation serves.
    func registry() -> Registry {
        var registry = Registry(clock: clock)
        registry.container.register(SharedTruth.self) { [self] _ in self }
        registry.addChild("tally", TallyScreen.self, canBeOpened: true)
        return registry
    }
}
