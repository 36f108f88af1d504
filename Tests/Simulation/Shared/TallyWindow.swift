import Sessions
import ViewModels

enum WindowNews: Codable, Sendable {
    case added(by: String, number: Int, total: Int)
    case rested(total: Int)
    /// - Parameter serial: the hall's.
    case seen(hall: Int, serial: Int)
    /// The hall begins with this.
    case begun(hall: Int, serial: Int)
}

/// A screen that clients send to as to a `TallyScreen`, with Views of two halls.
///
/// All windows have the first in common. The second outlives its process in some worlds, and not in others.
actor TallyWindow: ViewModel, PerRequest, DurableViewModel {
    struct Arguments: Codable, Sendable {
        var name: String
        /// The name under which the second hall is registered.
        var second: String
    }

    let output = Output<WindowNews>()
    private let arguments: Arguments
    private let truth: SharedTruth
    private let navigation: NavigationService
    private let first: Shared<TallyHall>
    // By whichever name it is registered, its events are the same.
    private let second: Shared<TallyHall>
    @Saved private var total = 0
    /// By client: the number of the last event.
    @Saved private var numbers: [String: Int] = [:]
    /// By hall: how much was sent, and the serial of the newest news; nil where there were none.
    @Saved private var sent = [0, 0]
    @Saved private var seen: [Int?] = [nil, nil]

    init(container: Container, arguments: Arguments) throws {
        self.arguments = arguments
        truth = try container.resolve()
        navigation = try container.resolve()
        first = container.shared(TallyHall.self, "hall", arguments: TallyHall.Arguments(name: "hall"))
        second = container.shared(TallyHall.self, arguments.second, arguments: TallyHall.Arguments(name: "other"))
        first.subscribe(self) { window, news in window.take(news, of: 0) }
        second.subscribe(self) { window, news in window.take(news, of: 1) }
    }

    private var name: String { arguments.name }

    private func take(_ news: HallNews, of hall: Int) {
        let isPlain = hall == 1 && arguments.second != "hall"
        switch news {
        case .all(let serial):
            if let last = seen[hall], !isPlain, !truth.hasLost {
                truth.violate("D7: \(name) gets a snapshot of hall \(hall) at \(serial), and has seen \(last)")
            }
            seen[hall] = serial
            output.send(.begun(hall: hall, serial: serial))
        case .noted(let window, let stamp, let serial, let deed):
            let last = seen[hall] ?? -1
            if serial != last + 1, !truth.hasLost {
                truth.violate("D7: \(name) gets news \(serial) of hall \(hall) after \(last)")
            }
            seen[hall] = serial
            truth.count { $0.seen += 1 }
            output.send(.seen(hall: hall, serial: serial))
            if deed == .echo, window == name { try? send(.say, to: 1 - hall, wait: 0, "", stamp) }
        }
    }

    private func send(_ deed: HallEvent.Deed, to hall: Int, wait: Int, _ client: String, _ place: Int) throws {
        sent[hall] += 1
        truth.count { $0.sends += 1 }
        let event = HallEvent.note(
            by: name, number: sent[hall], stamp: truth.makeStamp(), deed: deed, wait: wait, client: client, place: place
        )
        try (hall == 0 ? first : second).send(event)
    }

    func handle(event: TallyEvent) async throws {
        guard case .add(let client, let number, let deed, let wait) = event else { return }
        let last = numbers[client, default: 0]
        if number != last + 1 { truth.violate("D2: \(name) is given \(client)'s event \(number) after \(last)") }
        numbers[client] = number
        total += 1
        try act(deed, client, number, wait)
        output.send(.added(by: client, number: number, total: total))
        guard wait > 0, !deed.isSent else { return }
        try await truth.clock.sleep(for: min(.milliseconds(wait), truth.longestWait))
        output.send(.rested(total: total))
    }

    private func act(_ deed: TallyDeed, _ client: String, _ number: Int, _ wait: Int) throws {
        switch deed {
        case .refuse: throw Refusal(client: client, number: number)
        case .send: try send(.say, to: number % 2, wait: wait, client, number)
        case .sendMore:
            for index in 0..<3 { try send(index == 1 ? .hush : .repeat2, to: index % 2, wait: 0, client, number) }
        case .sendRefused: try send(.refuse, to: 0, wait: wait, client, number)
        case .sendEcho: try send(.echo, to: number % 2, wait: 0, client, number)
        case .push:
            guard name.count(where: { $0 == "/" }) < 2 else { return }
            let child = Arguments(name: TallyNames.child(name, client, number), second: arguments.second)
            try navigation.push(Self.self, arguments: child)
        case .pop: navigation.pop()
        case .say, .hush, .share, .present, .dismiss: break
        }
    }
}
