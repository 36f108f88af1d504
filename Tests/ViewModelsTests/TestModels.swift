import Synchronization
import TestSupport
import ViewModels

enum TestInput: Sendable, Equatable {
    case echo(Int)
    case fail
}

enum TestOutput: Sendable, Equatable {
    case started
    case echoed(Int)
}

struct TestFailure: Error, Equatable {}

actor ActorModel: ViewModel {
    let output = Output<TestOutput>()
    private(set) var starts = 0
    private let startGate: Gate?
    private let startFailure: TestFailure?

    init(startGate: Gate? = nil, startFailure: TestFailure? = nil) {
        self.startGate = startGate
        self.startFailure = startFailure
    }

    func start() async throws {
        starts += 1
        await startGate?.wait()
        if let startFailure { throw startFailure }
        output.send(.started)
    }

    func handle(event: TestInput) throws {
        switch event {
        case .echo(let number): output.send(.echoed(number))
        case .fail: throw TestFailure()
        }
    }
}

@MainActor final class MainActorModel: ViewModel {
    let output = Output<TestOutput>()

    func start() {
        output.send(.started)
    }

    func handle(event: TestInput) throws {
        MainActor.assertIsolated()
        switch event {
        case .echo(let number): output.send(.echoed(number))
        case .fail: throw TestFailure()
        }
    }
}

final class PlainModel: ViewModel {
    let output = Output<TestOutput>()

    func start() {
        output.send(.started)
    }

    func handle(event: TestInput) throws {
        switch event {
        case .echo(let number): output.send(.echoed(number))
        case .fail: throw TestFailure()
        }
    }
}

/// Without a `start()` of its own.
final class SilentModel: ViewModel {
    let output = Output<TestOutput>()

    func handle(event: TestInput) {}
}

/// A View without isolation: a plain class.
final class PlainView: View {
    typealias ViewModelEvent = TestOutput

    let output = Output<TestInput>()
    let seen = Recorder<TestOutput>()
    let failures = Recorder<String>()
    private let onSetup: @Sendable (PlainView) async -> Void

    init(onSetup: @escaping @Sendable (PlainView) async -> Void = { _ in }) {
        self.onSetup = onSetup
    }

    func handle(event: TestOutput) {
        seen.record(event)
    }

    func setupBindings() async {
        await onSetup(self)
    }

    func handle(failure: any Error, of event: TestInput) {
        failures.record("\(event): \(failure)")
    }
}

@MainActor final class MainActorView: View {
    let output = Output<TestInput>()
    let seen = Recorder<TestOutput>()
    let failures = Recorder<TestInput>()

    func handle(event: TestOutput) {
        MainActor.assertIsolated()
        seen.record(event)
    }

    func handle(failure: any Error, of event: TestInput) {
        MainActor.assertIsolated()
        failures.record(event)
    }
}

/// A View that does nothing but what it must.
actor BareView: View {
    let output = Output<TestInput>()
    let seen = Recorder<TestOutput>()

    func handle(event: TestOutput) {
        seen.record(event)
    }
}
