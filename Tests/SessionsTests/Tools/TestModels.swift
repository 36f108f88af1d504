import TestSupport
import ViewModels

/// What a hosted view model may send and take.
enum HostedInput: Codable, Sendable, Equatable {
    case add(Int)
    case set(value: Double)
    case fail
}

enum HostedOutput: Codable, Sendable, Equatable {
    case sum(Int)
    case ratio(Double)
}

final class HostedModel: ViewModel {
    let output = Output<HostedOutput>()
    private let ends: Recorder<String>?

    init(ends: Recorder<String>? = nil) {
        self.ends = ends
    }

    deinit {
        ends?.record("released")
    }

    func start() {
        output.send(.sum(0))
    }

    func handle(event: HostedInput) async throws {
        switch event {
        case .add(let number): output.send(.sum(number))
        case .set(let value): output.send(.ratio(value))
        case .fail: throw TestFailure()
        }
    }
}

struct HostedArguments: Codable, Sendable, Equatable {
    var start: Int?
    var names: [String]?
}
