import Sessions
import Synchronization
import ViewModels

/// A sum that many share.
actor SumViewModel: ViewModel, DurableViewModel {
    struct Arguments: Codable, Sendable { var name: String? }

    enum ViewEvent: Codable, Sendable {
        case add(Int)
        /// Is refused.
        case refuse(String)
        /// Tells who has sent it.
        case who
        /// Waits for the `Hold` of this name.
        case wait(String)
    }

    enum ViewModelEvent: Codable, Sendable {
        case sum(Int)
        case sender(String)
    }

    let output = Output<ViewModelEvent>()
    let addends = Rows<Int>()
    @Saved private var sum = 0

    init(arguments: Arguments = Arguments()) {}

    func start() { output.send(.sum(sum)) }
    func snapshot() -> [ViewModelEvent] { [.sum(sum)] }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .wait(let name): await Hold.named(name).stand()
        case .add(let addend):
            sum += addend
            addends.append(addend)
            output.send(.sum(sum))
        case .refuse(let reason): throw Refusal(description: reason)
        case .who:
            let client = Client.current
            output.send(.sender("\(client?.name ?? "-") \(client?.principal ?? "-")"))
        }
    }

    struct Refusal: Error, CustomStringConvertible { let description: String }
}

/// What all screens of a sum do.
struct SumScreen {
    enum ViewEvent: Codable, Sendable {
        case add(Int)
        case refuse(String)
        case who
        case wait(String)
        /// Changes this screen alone.
        case note(String)
    }

    enum ViewModelEvent: Codable, Sendable {
        case shown(Int)
        case sender(String)
        case noted(String)
        case failed(String)
    }
}

/// A screen of a sum, which outlives its process.
actor SumScreenViewModel: ViewModel, DurableViewModel {
    typealias ViewEvent = SumScreen.ViewEvent
    typealias ViewModelEvent = SumScreen.ViewModelEvent

    let output = Output<ViewModelEvent>()
    private let sum: Shared<SumViewModel>
    @Saved private var seen: [Int] = []

    init(container: Container, arguments: SumViewModel.Arguments) {
        sum = container.shared(SumViewModel.self, "sum", arguments: arguments)
        sum.subscribe(self) { screen, event in screen.show(event) }
    }

    private func show(_ event: SumViewModel.ViewModelEvent) {
        switch event {
        case .sum(let sum):
            seen.append(sum)
            output.send(.shown(sum))
        case .sender(let name): output.send(.sender(name))
        }
    }

    func snapshot() -> [ViewModelEvent] { seen.map { .shown($0) } }

    func handle(event: ViewEvent) throws {
        switch event {
        case .add(let addend): try sum.send(.add(addend))
        case .refuse(let reason): try sum.send(.refuse(reason))
        case .who: try sum.send(.who)
        case .wait(let name): try sum.send(.wait(name))
        case .note(let text): output.send(.noted(text))
        }
    }
}

/// A screen of a sum, which ends with its process and takes failures itself.
final class PlainSumScreenViewModel: ViewModel {
    typealias ViewEvent = SumScreen.ViewEvent
    typealias ViewModelEvent = SumScreen.ViewModelEvent

    let output = Output<ViewModelEvent>()
    private let sum: Shared<SumViewModel>

    init(container: Container, arguments: SumViewModel.Arguments) {
        sum = container.shared(SumViewModel.self, "sum", arguments: arguments)
        sum.subscribe(self) { screen, event in
            if case .sum(let sum) = event { screen.output.send(.shown(sum)) }
        }
        sum.failures.subscribe(self) { screen, failure in screen.output.send(.failed("\(failure.error)")) }
    }

    func handle(event: ViewEvent) throws {
        switch event {
        case .add(let addend): try sum.send(.add(addend))
        case .refuse(let reason): try sum.send(.refuse(reason))
        case .who: try sum.send(.who)
        case .wait(let name): try sum.send(.wait(name))
        case .note(let text): output.send(.noted(text))
        }
    }
}

extension SumScreen {
    static func register(_ registry: inout Registry) {
        registry.add("sum", scope: .everyone) { SumViewModel(arguments: $0) }
        registry.add("screen of sum") { SumScreenViewModel(container: $0, arguments: $1) }
        registry.add("plain screen of sum") { PlainSumScreenViewModel(container: $0, arguments: $1) }
        registry.add("passing screen of sum") { PassingSumScreenViewModel(container: $0, arguments: $1) }
        registry.add("asker") { try AskerViewModel(container: $0) }
        registry.addChild("dialog", DialogViewModel.self)
    }
}

/// A screen that shows what the sum does, as it is.
final class PassingSumScreenViewModel: ViewModel {
    typealias ViewEvent = SumScreen.ViewEvent
    typealias ViewModelEvent = SumViewModel.ViewModelEvent

    let output = Output<ViewModelEvent>()
    let addends: Rows<Int>
    private let sum: Shared<SumViewModel>

    init(container: Container, arguments: SumViewModel.Arguments) {
        sum = container.shared(SumViewModel.self, "sum", arguments: arguments)
        addends = sum.rows("addends")
        sum.passOn(to: output)
    }

    func snapshot() async throws -> [ViewModelEvent] { try await sum.snapshot() }

    func handle(event: ViewEvent) throws {
        if case .add(let addend) = event { try sum.send(.add(addend)) }
    }
}

/// Shows a dialog.
actor AskerViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable, Sendable { case ask }
    enum ViewModelEvent: Codable, Sendable { case nothing }

    let output = Output<ViewModelEvent>()
    private let presenter: PresenterService

    init(container: Container) throws {
        presenter = try container.resolve()
    }

    func handle(event: ViewEvent) throws { try presenter.present(DialogViewModel.self) }
}

/// Adds to a sum, and takes itself off the screen.
actor DialogViewModel: ViewModel, DurableViewModel, PerRequest {
    enum ViewEvent: Codable, Sendable { case add(Int) }
    enum ViewModelEvent: Codable, Sendable { case nothing }

    let output = Output<ViewModelEvent>()
    private let sum: Shared<SumViewModel>
    private let presenter: PresenterService

    init(container: Container, arguments: Void) throws {
        sum = container.shared(SumViewModel.self, "sum")
        presenter = try container.resolve()
    }

    func handle(event: ViewEvent) throws {
        if case .add(let addend) = event { try sum.send(.add(addend)) }
        presenter.dismiss()
    }
}
