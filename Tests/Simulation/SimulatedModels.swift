import Sessions
import TestSupport
import ViewModels

/// What a client asks a view model for.
struct Act: Codable, Sendable {
    enum Deed: String, Codable, CaseIterable {
        /// Sends `count` events.
        case say
        /// The same, with a kilobyte in each.
        case flood
        /// Sends them, then throws.
        case fail
        /// Sends one, sleeps for `count` seconds unless it is cancelled, and sends one.
        case nap
        /// The same, and a cancellation doesn't disturb it.
        case hang
        /// Sends one now, and one from a task of its own in `count` seconds.
        case later
        /// Sends them from a task that has no executor.
        case elsewhere
        /// Lets others run between events.
        case yield
        /// Sends what can't be encoded, which is reported and takes no number.
        case nonsense
        case push, present, pop, dismiss
    }

    /// The client.
    var by: String
    /// Names the event for good.
    var tag: Int
    /// The client's number for it; 0 where it has none.
    var number: Int
    var deed: Deed
    var count: Int
}

enum SimulatedEvent: Codable, ReplaceableEvent {
    /// `number` counts a view model's events from 1.
    case said(number: Int, padding: String?)
    /// Only the newest counts.
    case reached(number: Int)
    /// The number of the newest event.
    case state(number: Int)
    case nonsense(Double)

    var coalescingKey: String? { if case .reached = self { "reached" } else { nil } }
}

struct SimulatedFailure: Error, CustomStringConvertible {
    let description: String
}

enum SimulatedViewEvent: Codable, Sendable {
    case act(Act)
}

/// The rules that both kinds of view models share.
struct SimulatedDeeds: Sendable {
    let name: String
    let generation: Int
    let truth: Truth
    let isReplaceable: Bool
    let output = Output<SimulatedEvent>()

    func say(by tag: Int? = nil, padding: String? = nil) {
        let number = truth.nextEvent(of: name, generation, by: tag)
        output.send(isReplaceable ? .reached(number: number) : .said(number: number, padding: padding))
    }

    /// In the caller's isolation.
    func perform(_ act: Act) async throws {
        switch act.deed {
        case .say, .push, .present, .pop, .dismiss: for _ in 0..<act.count { say(by: act.tag) }
        case .flood:
            let padding = String(repeating: "x", count: 1_000)
            for _ in 0..<act.count { say(by: act.tag, padding: padding) }
        case .fail:
            for _ in 0..<act.count { say(by: act.tag) }
            throw SimulatedFailure(description: "as it was asked to")
        case .nap:
            say(by: act.tag)
            try await truth.clock.sleep(for: .seconds(act.count))
            say(by: act.tag)
        case .hang:
            say(by: act.tag)
            let clock = truth.clock
            await Task { try? await clock.sleep(for: .seconds(act.count)) }.value
            say(by: act.tag)
        case .later:
            say(by: act.tag)
            Task { [self] in
                try? await truth.clock.sleep(for: .seconds(act.count))
                say()
            }
        case .elsewhere:
            await Task.detached { [self] in for _ in 0..<act.count { say(by: act.tag) } }.value
        case .yield:
            for _ in 0..<act.count {
                say(by: act.tag)
                await Task.yield()
            }
        case .nonsense:
            say(by: act.tag)
            output.send(.nonsense(.nan))
            say(by: act.tag)
        }
    }
}

/// A view model that does what it is asked for, and shows nothing else.
actor SimulatedModel: ViewModel {
    struct Arguments: Codable, Sendable {
        var name: String
        /// Where it fails: "make" or "start".
        var fails: String?
        /// Events that `start` sends.
        var events: Int?
        /// Seconds that making it takes.
        var slow: Int?
    }

    nonisolated var output: Output<SimulatedEvent> { deeds.output }
    private let deeds: SimulatedDeeds
    private let arguments: Arguments
    private let makesSnapshots: Bool

    init(_ arguments: Arguments, _ truth: Truth, makesSnapshots: Bool, isReplaceable: Bool) throws {
        if arguments.fails == "make" { throw SimulatedFailure(description: "can't be made") }
        self.arguments = arguments
        self.makesSnapshots = makesSnapshots
        deeds = SimulatedDeeds(
            name: arguments.name, generation: truth.didMake(arguments.name), truth: truth, isReplaceable: isReplaceable)
    }

    deinit {
        deeds.truth.didRelease(deeds.name)
    }

    func start() async throws {
        for _ in 0..<(arguments.events ?? 0) { deeds.say() }
        if arguments.fails == "start" { throw SimulatedFailure(description: "can't start") }
    }

    func handle(event: SimulatedViewEvent) async throws {
        guard case .act(let act) = event else { return }
        deeds.truth.apply(act, to: deeds.name, deeds.generation)
        defer { deeds.truth.didFinish(act.tag) }
        try await deeds.perform(act)
    }

    func snapshot() async throws -> [SimulatedEvent] {
        guard makesSnapshots else { throw SimulatedFailure(description: "it makes none") }
        // Others may run meanwhile.
        await Task.yield()
        return [.state(number: deeds.truth[model: deeds.name].sent)]
    }
}

/// A view model that shows others of its kind.
actor SimulatedScreen: ViewModel, PerRequest, BackHandling {
    struct Arguments: Codable, Sendable {
        var name: String
    }

    nonisolated var output: Output<SimulatedEvent> { deeds.output }
    private let deeds: SimulatedDeeds
    private let navigation: NavigationService
    private let presenter: PresenterService

    init(container: Container, arguments: Arguments) throws {
        let truth: Truth = try container.resolve()
        navigation = try container.resolve()
        presenter = try container.resolve()
        deeds = SimulatedDeeds(
            name: arguments.name, generation: truth.didMake(arguments.name), truth: truth, isReplaceable: false)
    }

    deinit {
        deeds.truth.didRelease(deeds.name)
    }

    func handle(event: SimulatedViewEvent) async throws {
        guard case .act(let act) = event else { return }
        let truth = deeds.truth
        truth.apply(act, to: deeds.name, deeds.generation)
        defer { truth.didFinish(act.tag) }
        switch act.deed {
        case .push: try navigation.push(Self.self, arguments: Arguments(name: truth.newName()))
        case .present: try presenter.present(Self.self, arguments: Arguments(name: truth.newName()))
        case .pop: navigation.pop()
        case .dismiss: presenter.dismiss()
        default: break
        }
        try await deeds.perform(act)
    }

    func willGoBack() async throws {
        await Task.yield()
    }
}

extension Truth {
    /// Adds all kinds of view models that a simulation has.
    func register(in registry: inout Registry) {
        registry.container.register(Truth.self) { [self] _ in self }
        registry.addChild("screen", SimulatedScreen.self, canBeOpened: true)
        for kind in ModelKind.allCases where kind != .screen {
            registry.add(kind.rawValue) { [self] (arguments: SimulatedModel.Arguments) in
                if let slow = arguments.slow { try await clock.sleep(for: .seconds(slow)) }
                return try SimulatedModel(
                    arguments, self, makesSnapshots: kind != .plain, isReplaceable: kind == .latest)
            }
        }
    }
}

enum ModelKind: String, CaseIterable {
    /// Keeps to the log.
    case plain
    /// Makes snapshots.
    case ledger
    /// Sends replaceable events.
    case latest
    /// Shows others.
    case screen
}
