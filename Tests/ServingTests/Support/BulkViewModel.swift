import Sessions
import TestSupport
import ViewModels

/// A view model with a long snapshot, and an event as long. The test knows how many were made.
actor BulkViewModel: ViewModel {
    struct Arguments: Decodable, Sendable {
        var bytes: Int
    }

    enum ViewEvent: Codable, Sendable {
        case send
    }

    enum ViewModelEvent: Codable, Sendable {
        case text(String)
    }

    let output = Output<ViewModelEvent>()
    private let bytes: Int
    private let snapshots: Recorder<Int>

    init(_ arguments: Arguments, _ snapshots: Recorder<Int>) {
        bytes = arguments.bytes
        self.snapshots = snapshots
    }

    /// - Parameter snapshots: gets the length of each snapshot that is made.
    static func register(in registry: inout Registry, snapshots: Recorder<Int>) {
        registry.add("bulk") { BulkViewModel($0, snapshots) }
    }

    func handle(event: ViewEvent) {
        output.send(.text(String(repeating: "x", count: bytes)))
    }

    func snapshot() -> [ViewModelEvent] {
        snapshots.record(bytes)
        return [.text(String(repeating: "x", count: bytes))]
    }
}
