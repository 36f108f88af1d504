import TestSupport
import ViewModels

/// The events of a hosted view model.
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

/// Sends the number of its event with each, and makes snapshots.
actor CountingModel: ViewModel {
    let output = Output<HostedOutput>()
    private var count = 0
    private var ratio: Double?
    private var fails = false

    func handle(event: HostedInput) {
        switch event {
        case .add:
            count += 1
            output.send(.sum(count))
        case .set(let value): ratio = value
        case .fail: fails = true
        }
    }

    func snapshot() throws -> [HostedOutput] {
        if fails { throw TestFailure() }
        return ratio.map { [.ratio($0)] } ?? [.sum(count)]
    }
}

final class PositionModel: ViewModel {
    enum Event: Codable, ReplaceableEvent {
        case moved(Int)
        case said(String)

        var coalescingKey: String? {
            switch self {
            case .moved: "moved"
            case .said: nil
            }
        }
    }

    let output = Output<Event>()

    func handle(event: HostedInput) {}
}
