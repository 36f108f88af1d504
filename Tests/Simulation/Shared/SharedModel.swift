import Sessions
import Synchronization
import TestSupport
import ViewModels

/// What a client asks a `TallyScreen` for.
enum TallyDeed: String, Codable, CaseIterable {
    /// Tells of it.
    case say
    /// Counts it, and tells nobody.
    case hush
    /// Counts it, and fails.
    case refuse
    /// Notes it in what all screens share.
    case share
    /// Shows another one.
    case push, present
    /// Takes one off, which may be itself.
    case pop, dismiss
    /// Of a `TallyWindow` alone: sends to a hall, once or more often, or what is refused there, or what it answers with another.
    case send, sendMore, sendRefused, sendEcho

    var isSent: Bool {
        switch self {
        case .send, .sendMore, .sendRefused, .sendEcho: true
        default: false
        }
    }
}

enum TallyEvent: Codable, Sendable {
    /// - Parameter wait: in milliseconds, once it has done what it was asked for; 0: it returns at once.
    case add(by: String, number: Int, deed: TallyDeed, wait: Int)
}

enum TallyNews: Codable, Sendable {
    case added(by: String, number: Int, total: Int)
    case rested(total: Int)
}

/// What all screens of a session share.
final class TallyBoard: Singleton, DurableSingleton {
    static let scope = SingletonScope.session

    /// Some screen of this life can't go on.
    private let isBroken = Mutex(false)
    /// By the names of a screen and a client: the number of the last event that was noted.
    private let marks = Saved<[String: Int]>([:])

    init(container: Container, arguments: Void) {}

    var hasBroken: Bool { isBroken.withLock { $0 } }

    func breakDown() {
        isBroken.withLock { $0 = true }
    }

    /// - Returns: the number before.
    func note(_ screen: String, _ client: String, _ number: Int) -> Int {
        marks.update { marks in
            defer { marks[TallyNames.mark(screen, client)] = number }
            return marks[TallyNames.mark(screen, client), default: 0]
        }
    }
}

/// By which what is stored says whose doing it is.
enum TallyNames {
    static func mark(_ screen: String, _ client: String) -> String { "\(screen) \(client)" }

    /// Of a screen that an event shows.
    static func child(_ screen: String, _ client: String, _ number: Int) -> String { "\(screen)/\(client):\(number)" }

    /// Nil for the name of a root.
    static func origin(of child: String) -> (screen: String, client: String, number: Int)? {
        guard let slash = child.lastIndex(of: "/"), let colon = child.lastIndex(of: ":"),
            let number = Int(child[child.index(after: colon)...])
        else { return nil }
        return (String(child[..<slash]), String(child[child.index(after: slash)..<colon]), number)
    }
}

/// Counts what it is given, on any server: all that it knows is saved.
actor TallyScreen: ViewModel, PerRequest, DurableViewModel {
    struct Arguments: Codable, Sendable {
        var name: String
    }

    let output = Output<TallyNews>()
    private let name: String
    private let truth: SharedTruth
    private let board: TallyBoard
    private let navigation: NavigationService
    private let presenter: PresenterService
    @Saved private var total = 0
    /// By client: the number of the last event.
    @Saved private var numbers: [String: Int] = [:]

    init(container: Container, arguments: Arguments) throws {
        name = arguments.name
        truth = try container.resolve()
        board = try container.resolve()
        navigation = try container.resolve()
        presenter = try container.resolve()
    }

    /// Where a screen that others show can't go on, its events are refused in that life, and counted.
    func resume() throws {
        guard truth.isCodeBroken, TallyNames.origin(of: name) == nil else { return }
        board.breakDown()
        // Nothing of this may be stored.
        total += 1_000
        throw BrokenCode()
    }

    func handle(event: TallyEvent) async throws {
        guard case .add(let client, let number, let deed, let wait) = event else { return }
        let last = numbers[client, default: 0]
        if number != last + 1 { truth.violate("D2: \(name) is given \(client)'s event \(number) after \(last)") }
        if board.hasBroken { truth.violate("\(name) handles \(client)'s event \(number), and its screen can't go on") }
        numbers[client] = number
        total += 1
        try act(deed, client, number)
        if deed != .hush { output.send(.added(by: client, number: number, total: total)) }
        guard wait > 0 else { return }
        try await truth.clock.sleep(for: min(.milliseconds(wait), truth.longestWait))
        output.send(.rested(total: total))
    }

    private func act(_ deed: TallyDeed, _ client: String, _ number: Int) throws {
        let child = Arguments(name: TallyNames.child(name, client, number))
        let mayShow = name.count(where: { $0 == "/" }) < 2
        switch deed {
        case .say, .hush, .send, .sendMore, .sendRefused, .sendEcho: break
        case .refuse: throw Refusal(client: client, number: number)
        case .share:
            let last = board.note(name, client, number)
            if last >= number {
                truth.violate("D2: \(name) is given \(client)'s event \(number), and the board has had \(last)")
            }
        case .push: if mayShow { try navigation.push(Self.self, arguments: child) }
        case .present: if mayShow { try presenter.present(Self.self, arguments: child) }
        case .pop: navigation.pop()
        case .dismiss: presenter.dismiss()
        }
    }
}

/// What a client is told each time that it asks.
struct Refusal: Error, CustomStringConvertible {
    let client: String
    let number: Int

    var description: String { "\(client)'s event \(number) isn't for this screen" }
}

/// A build with which nothing goes on.
private struct BrokenCode: Error {}

/// What is wrong in one simulation. Locked, as view models have it; in a simulation there is one thread.
final class SharedTruth: Sendable {
    let clock: ManualClock
    private let found = Mutex<[String]>([])
    private let brokenUntil = Mutex(Duration.zero)
    private let mostWait = Mutex(Duration.seconds(3_600))
    private let isLossy = Mutex(false)
    private let stamps = Mutex(0)
    private let counts = Mutex(HallCounts())

    init(clock: ManualClock) {
        self.clock = clock
    }

    var time: Duration { clock.now.offset }

    var violationCount: Int { found.withLock { $0.count } }

    var violations: [String] { found.withLock { $0 } }

    /// Whether what is stored can't go on now.
    var isCodeBroken: Bool { brokenUntil.withLock { time < $0 } }

    func breakCode(until time: Duration) {
        brokenUntil.withLock { $0 = time }
    }

    /// Of a handler, from now on.
    var longestWait: Duration {
        get { mostWait.withLock { $0 } }
        set { mostWait.withLock { $0 = newValue } }
    }

    /// The store has lost commits that it had acknowledged.
    var hasLost: Bool {
        get { isLossy.withLock { $0 } }
        set { isLossy.withLock { $0 = newValue } }
    }

    /// Returns a number that is higher than all before.
    func makeStamp() -> Int {
        stamps.withLock { stamps in
            stamps += 1
            return stamps
        }
    }

    var hallCounts: HallCounts { counts.withLock { $0 } }

    func count(_ body: (inout HallCounts) -> Void) {
        counts.withLock { body(&$0) }
    }

    func violate(_ what: String) {
        found.withLock { $0.append("at \(time): \(what)") }
    }

    /// What a server of the simulation serves.
    ///
    /// - Parameters:
    ///   - hasCommon: whether there is a view model of everyone. Other worlds are as they would be without.
    ///   - hasHalls: whether there are windows and halls.
    func registry(hasCommon: Bool, hasHalls: Bool) -> Registry {
        var registry = Registry(clock: clock)
        registry.container.register(SharedTruth.self) { [self] _ in self }
        registry.addChild("tally", TallyScreen.self, canBeOpened: true)
        if hasCommon { registry.add("common", TallyScreen.self, scope: .everyone) }
        guard hasHalls else { return registry }
        registry.addChild("window", TallyWindow.self, canBeOpened: true)
        registry.add("hall", TallyHall.self, scope: .everyone)
        registry.add("plain hall", PlainTallyHall.self, scope: .everyone)
        return registry
    }
}

/// What windows and halls have done, also in lives of which nothing was stored.
struct HallCounts: Sendable, Equatable {
    var sends = 0
    var effects = 0
    var seen = 0
}
