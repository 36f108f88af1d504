import Sessions
import ViewModels

/// What a `TallyWindow` sends to a hall.
enum HallEvent: Codable, Sendable {
    /// - Parameters:
    ///   - by: the window's name.
    ///   - number: counts what the window has sent to this hall.
    ///   - stamp: rises with each event that any window makes, and is no other event's.
    ///   - client: the client whose event led to it, and the number of that event.
    case note(by: String, number: Int, stamp: Int, deed: Deed, wait: Int, client: String, place: Int)

    enum Deed: String, Codable {
        /// Tells of it once, twice, or nobody.
        case say, repeat2, hush
        /// Counts it, and fails.
        case refuse
        /// Tells of it, and the window sends something to its other hall then.
        case echo
    }
}

enum HallNews: Codable, Sendable {
    /// - Parameter serial: counts what the hall has told.
    case noted(window: String, stamp: Int, serial: Int, deed: HallEvent.Deed)
    /// In place of all news so far.
    case all(serial: Int)
}

/// What a hall has had from one window.
struct HallPlace: Codable, Sendable {
    var number = 0
    var stamp = 0
}

/// What every hall does.
struct HallBook {
    let name: String
    /// Whether windows may have sent to another one before.
    var isLate = false
    /// How many events it was given, also those that it refused.
    var total = 0
    var serial = 0
    /// By the names of windows.
    var places: [String: HallPlace] = [:]

    /// Takes an event, and returns what is to be told of it.
    mutating func take(_ event: HallEvent, _ truth: SharedTruth) throws -> [HallNews] {
        guard case .note(let window, let number, let stamp, let deed, _, let client, let place) = event else {
            return []
        }
        let last = places[window] ?? HallPlace(number: isLate ? number - 1 : 0)
        if stamp <= last.stamp {
            truth.violate("D6: \(name) is given \(window)'s event \(number) of \(stamp), and has had \(last)")
        } else if number != last.number + 1, !truth.hasLost {
            truth.violate("D6: \(name) is given \(window)'s event \(number) after \(last.number)")
        }
        total += 1
        places[window] = HallPlace(number: number, stamp: stamp)
        truth.count { $0.effects += 1 }
        switch deed {
        case .hush: return []
        case .refuse: throw Refusal(client: client, number: place)
        case .say, .echo: return [news(window, stamp, deed)]
        case .repeat2: return [news(window, stamp, deed), news(window, stamp, deed)]
        }
    }

    private mutating func news(_ window: String, _ stamp: Int, _ deed: HallEvent.Deed) -> HallNews {
        serial += 1
        return .noted(window: window, stamp: stamp, serial: serial, deed: deed)
    }
}

/// A session of everyone that windows have Views of. Clients open it, too, and send nothing.
actor TallyHall: ViewModel, PerRequest, DurableViewModel {
    struct Arguments: Codable, Sendable {
        var name: String
    }

    let output = Output<HallNews>()
    private let name: String
    private let truth: SharedTruth
    @Saved private var total = 0
    @Saved private var serial = 0
    @Saved private var places: [String: HallPlace] = [:]

    init(container: Container, arguments: Arguments) throws {
        name = arguments.name
        truth = try container.resolve()
    }

    func start() { output.send(.all(serial: serial)) }
    func snapshot() -> [HallNews] { [.all(serial: serial)] }

    func handle(event: HallEvent) async throws {
        var book = HallBook(name: name, total: total, serial: serial, places: places)
        let told = Result { try book.take(event, truth) }
        (total, serial, places) = (book.total, book.serial, book.places)
        for news in try told.get() { output.send(news) }
        try await truth.rest(event)
    }
}

/// A hall that ends with its process, so that windows that outlive it find another one.
actor PlainTallyHall: ViewModel, PerRequest {
    let output = Output<HallNews>()
    private let truth: SharedTruth
    private var book: HallBook

    init(container: Container, arguments: TallyHall.Arguments) throws {
        book = HallBook(name: "the plain \(arguments.name)", isLate: true)
        truth = try container.resolve()
    }

    func start() { output.send(.all(serial: 0)) }
    func snapshot() -> [HallNews] { [.all(serial: book.serial)] }

    func handle(event: HallEvent) async throws {
        for news in try book.take(event, truth) { output.send(news) }
        try await truth.rest(event)
    }
}

extension SharedTruth {
    /// A handler of a hall takes its time.
    fileprivate func rest(_ event: HallEvent) async throws {
        guard case .note(_, _, _, _, let wait, _, _) = event, wait > 0 else { return }
        try await clock.sleep(for: min(.milliseconds(wait), longestWait))
    }
}
