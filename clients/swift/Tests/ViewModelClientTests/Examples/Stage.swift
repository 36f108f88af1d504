import Examples
import TestSupport
import ViewModelClient
import ViewModels

/// The events of `hello`: a view model that has properties sends one event for each.
enum HelloEvent: Codable, Equatable {
    case helloText(String)
}

/// The events of the stopwatch.
enum StopwatchEvent: Codable, Equatable {
    case isRunning(Bool)
    case elapsedMilliseconds(Int)
    case lapMilliseconds([Int])
}

/// The events of the list: a view model that has a state sends it as `changed`.
enum TodosEvent: Codable, Equatable {
    case changed(TodosViewModel.State)
}

typealias Hello = AnyViewModel<HelloEvent, HelloViewModel.ViewEvent>
typealias Stopwatch = AnyViewModel<StopwatchEvent, StopwatchViewModel.ViewEvent>
typealias Todos = AnyViewModel<TodosEvent, TodosViewModel.ViewEvent>
typealias Counter = AnyViewModel<CounterViewModel.ViewModelEvent, CounterViewModel.ViewEvent>
typealias Orders = AnyViewModel<OrdersViewModel.ViewModelEvent, OrdersViewModel.ViewEvent>
typealias Details = AnyViewModel<OrderDetailsViewModel.ViewModelEvent, OrderDetailsViewModel.ViewEvent>
typealias Confirmation = AnyViewModel<ConfirmCancelViewModel.ViewModelEvent, ConfirmCancelViewModel.ViewEvent>

/// Where the examples' view models come from: this process, or a server.
protocol Stage: Sendable {
    func hello() -> Hello
    func stopwatch() -> Stopwatch
    func todos() -> Todos
    func counter(_ arguments: CounterViewModel.Arguments) -> Counter
    func screen(_ arguments: OrdersViewModel.Arguments) throws -> any OrdersScreen
}

/// The list with what comes to stand on it.
protocol OrdersScreen: AnyObject, Sendable {
    var list: Orders { get }
    /// Rows of the list's orders.
    func orders(_ range: Range<Int>) async throws -> [Order?]
    /// The steps of navigation, in words.
    var steps: Recorder<String> { get }
    /// Waits for details to be pushed.
    func details() async throws -> Details
    /// Waits for a question to be presented.
    func confirmation() async throws -> Confirmation
}

/// A View that records its events.
actor NotingView<ViewModelEvent: Sendable, ViewEvent: Sendable>: View {
    nonisolated let output = Output<ViewEvent>()
    nonisolated let events = Recorder<ViewModelEvent>()
    nonisolated let failures = Recorder<String>()

    /// A View of this view model, bound.
    static func bound(with model: AnyViewModel<ViewModelEvent, ViewEvent>) async throws -> NotingView {
        let view = NotingView()
        try await view.bind(with: model)
        return view
    }

    func handle(event: ViewModelEvent) {
        events.record(event)
    }

    func handle(failure: any Error, of event: ViewEvent) {
        failures.record("\(failure)")
    }
}
