import Sessions
import Synchronization
import ViewModels

/// Tells everyone of each event that it is given, and keeps them for the test.
final class TallyViewModel: ViewModel {
    enum ViewEvent: Codable, Sendable {
        /// Replaceable ones are those of which only a client's newest counts.
        case add(client: String, number: Int, isReplaceable: Bool)
    }

    enum ViewModelEvent: Codable, ReplaceableEvent {
        case added(client: String, number: Int)
        case reached(client: String, number: Int)

        var coalescingKey: String? {
            switch self {
            case .added: nil
            case .reached(let client, _): client
            }
        }
    }

    let output = Output<ViewModelEvent>()
    private let applied: Applied

    /// What was applied, by client, in order.
    final class Applied: Sendable {
        private let numbers = Mutex<[String: [Int]]>([:])

        var byClient: [String: [Int]] { numbers.withLock { $0 } }

        func add(_ number: Int, of client: String) {
            numbers.withLock { $0[client, default: []].append(number) }
        }
    }

    init(_ applied: Applied) {
        self.applied = applied
    }

    func handle(event: ViewEvent) {
        switch event {
        case .add(let client, let number, let isReplaceable):
            applied.add(number, of: client)
            output.send(
                isReplaceable ? .reached(client: client, number: number) : .added(client: client, number: number))
        }
    }
}
