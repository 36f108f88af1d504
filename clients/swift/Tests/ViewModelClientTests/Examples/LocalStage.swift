import Examples
import JSON
import TestSupport
import ViewModels

/// The examples in this process.
struct LocalStage: Stage {
    func hello() -> Hello { AnyViewModel(LocalEvents(HelloViewModel().hosted())) }
    func stopwatch() -> Stopwatch { AnyViewModel(LocalEvents(StopwatchViewModel(clock: ManualClock()).hosted())) }
    func todos() -> Todos { AnyViewModel(LocalEvents(TodosViewModel().hosted())) }
    func counter(_ arguments: CounterViewModel.Arguments) -> Counter {
        AnyViewModel(CounterViewModel(arguments: arguments))
    }

    func screen(_ arguments: OrdersViewModel.Arguments) throws -> any OrdersScreen {
        try LocalScreen(arguments)
    }
}

/// A local view model's properties or state as events of an enum, which is what they look like to a client.
final class LocalEvents<Event: Decodable & Sendable, Source: Encodable & Sendable, Sent: Sendable>: ViewModel {
    let output = Output<Event>()
    private let model: AnyViewModel<Source, Sent>
    private let subscription: Subscription

    init(_ model: AnyViewModel<Source, Sent>) {
        self.model = model
        subscription = model.output.subscribe { [output] event in
            guard let bytes = try? EventEncoder().encode(event) else { return }
            let decoded = bytes.withUnsafeBytes { bytes in
                (try? JSONValue(validating: bytes)).flatMap { try? EventDecoder().decode(Event.self, from: $0) }
            }
            if let decoded { output.send(decoded) }
        }
    }

    func start() async throws { try await model.start() }
    func handle(event: Sent) async throws { try await model.handle(event: event) }
}

/// A screen of this process.
private final class LocalScreen: OrdersScreen {
    let list: Orders
    private let model: OrdersViewModel
    private let navigator: ListNavigator
    /// Of the screen: it keeps the navigator, too.
    private let container: Container

    init(_ arguments: OrdersViewModel.Arguments) throws {
        let navigator = ListNavigator()
        container = Container(in: Container())
        self.navigator = navigator
        navigator.container.with { [container] in $0 = container }
        container.register((any OrdersProvider).self) { _ in SampleOrdersProvider(clock: ManualClock()) }
        container.register((any Navigator).self) { _ in navigator }
        model = try container.resolve(arguments: arguments)
        list = AnyViewModel(model)
    }

    var steps: Recorder<String> { navigator.steps }

    func orders(_ range: Range<Int>) async throws -> [Order?] { try await model.orders.rows(in: range) }

    func details() async throws -> Details {
        AnyViewModel(await navigator.details.elements(count: 1)[0])
    }

    func confirmation() async throws -> Confirmation {
        AnyViewModel(await navigator.confirmations.elements(count: 1)[0])
    }
}

private final class ListNavigator: Navigator {
    let steps = Recorder<String>()
    let details = Recorder<OrderDetailsViewModel>()
    let confirmations = Recorder<ConfirmCancelViewModel>()
    let container = Locked<Container?>(nil)

    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        guard let container = container.with({ $0 }) else { return }
        let model: Model = try container.resolve(arguments: arguments)
        switch model {
        case let model as OrderDetailsViewModel:
            steps.record("push orderDetails")
            details.record(model)
        case let model as ConfirmCancelViewModel:
            steps.record("present confirmCancel")
            confirmations.record(model)
        default: steps.record("\(type)")
        }
    }

    func takeOff(_ transition: Transition) {
        steps.record(transition == .push ? "pop" : "dismiss")
    }
}
