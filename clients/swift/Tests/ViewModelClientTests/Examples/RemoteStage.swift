import Examples
import TestSupport
import ViewModelClient

/// The examples on a server.
struct RemoteStage: Stage {
    let server: RemoteServer

    func hello() -> Hello { AnyViewModel(server.viewModel("hello") as RemoteViewModel) }
    func stopwatch() -> Stopwatch { AnyViewModel(server.viewModel("stopwatch") as RemoteViewModel) }
    func todos() -> Todos { AnyViewModel(server.viewModel("todos") as RemoteViewModel) }
    func counter(_ arguments: CounterViewModel.Arguments) -> Counter {
        AnyViewModel(server.viewModel("counter", arguments: arguments) as RemoteViewModel)
    }

    func screen(_ arguments: OrdersViewModel.Arguments) -> any OrdersScreen {
        RemoteScreen(server.viewModel("orders", arguments: arguments))
    }
}

/// A screen that follows what its view models ask to be shown.
private final class RemoteScreen: OrdersScreen {
    typealias RemoteOrders = RemoteViewModel<OrdersViewModel.ViewModelEvent, OrdersViewModel.ViewEvent>
    typealias RemoteDetails = RemoteViewModel<OrderDetailsViewModel.ViewModelEvent, OrderDetailsViewModel.ViewEvent>

    let list: Orders
    let steps = Recorder<String>()
    private let remote: RemoteOrders
    private let pushed = Recorder<RemoteChild>()
    private let presented = Recorder<RemoteChild>()
    private let details = Locked<RemoteDetails?>(nil)
    private let subscriptions = Locked<[Subscription]>([])

    init(_ remote: RemoteOrders) {
        self.remote = remote
        list = AnyViewModel(remote)
        follow(remote.navigation)
    }

    func orders(_ range: Range<Int>) async throws -> [Order?] {
        try await remote.list("orders", of: Order.self).rows(in: range)
    }

    func details() async throws -> Details {
        let details: RemoteDetails = remote.child(await pushed.elements(count: 1)[0])
        self.details.with { $0 = details }
        // Children of the details come in the details' own stream.
        follow(details.navigation)
        return AnyViewModel(details)
    }

    func confirmation() async throws -> Confirmation {
        let child = await presented.elements(count: 1)[0]
        return AnyViewModel(remote.child(child) as RemoteViewModel)
    }

    private func follow(_ navigation: Output<RemoteNavigation>) {
        let subscription = navigation.subscribe { [steps, pushed, presented] change in
            switch change {
            case .push(let child):
                steps.record("push \(child.viewModel)")
                pushed.record(child)
            case .present(let child):
                steps.record("present \(child.viewModel)")
                presented.record(child)
            case .pop: steps.record("pop")
            case .dismiss: steps.record("dismiss")
            case .shown: steps.record("shown")
            }
        }
        subscriptions.with { $0.append(subscription) }
    }
}
