import Examples
import TestSupport
import ViewModels

/// A finder in a tree of its own, with a clock that stands still.
struct FinderScene: Sendable {
    let container = Container(in: Container())
    let clock = ManualClock()
    let navigator = TestNavigator()

    init(_ folder: String) {
        container.register(ServedFolder.self) { _ in ServedFolder(folder) }
        container.register((any Clock<Duration>).self) { [clock] _ in clock }
        container.register((any Navigator).self) { [navigator] _ in navigator }
    }

    /// A finder that has found all files.
    func finder(_ arguments: FinderViewModel.Arguments = .init()) async throws -> Recorded<FinderViewModel> {
        let finder = try Recorded<FinderViewModel>(container.resolve(arguments: arguments))
        await finder.model.start()
        await until { finder.isComplete }
        return finder
    }

    /// Lets the time pass after which a folder may be read again.
    func pass() async {
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
    }
}

extension Recorded<FinderViewModel> {
    var isComplete: Bool {
        for case .matches(_, let isComplete) in events.elements.reversed() { return isComplete }
        return false
    }

    var paths: [String] { rows.map(\.path) }

    var rows: [FinderResult] {
        let results = model.results
        return (0..<results.count).compactMap { results[$0] }
    }

    var failure: String? {
        for case .failed(let message) in events.elements.reversed() { return message }
        return nil
    }

    func query(_ text: String) async throws {
        try await model.handle(event: .query(text: text))
    }
}

extension FinderResult {
    /// What matches.
    var ranges: [Range<Int>] { matches.map { $0.start..<$0.end } }
}
