import Sessions
import TestSupport
import ViewModels

/// A view model that makes snapshots: the events of a view that comes late are one number, and the test says when.
actor LedgerViewModel: ViewModel {
    struct Arguments: Decodable, Sendable {
        /// Names the `Hold` that each snapshot waits for.
        var snapshot: String?
        /// Names the `Hold` that `wait` waits for.
        var hold: String?
    }

    enum ViewEvent: Codable, Sendable {
        case add(Int)
        /// Holds up the handlers that come after it.
        case wait
    }

    enum ViewModelEvent: Codable, Sendable {
        case total(Int)
    }

    let output = Output<ViewModelEvent>()
    private let arguments: Arguments
    private var total = 0

    init(_ arguments: Arguments) {
        self.arguments = arguments
    }

    static func register(in registry: inout Registry) {
        registry.add("ledger") { LedgerViewModel($0) }
    }

    func handle(event: ViewEvent) async {
        switch event {
        case .add(let number):
            total += number
            output.send(.total(total))
        case .wait: await Hold.named(arguments.hold ?? "ledger").stand()
        }
    }

    func snapshot() async -> [ViewModelEvent] {
        await arguments.snapshot.map { Hold.named($0) }?.stand()
        return [.total(total)]
    }
}
