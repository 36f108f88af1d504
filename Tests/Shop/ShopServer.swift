import Foundation
import ViewModelServer

/// Somebody else's server, for the tests of the clients: some of its names are those of examples, and its contracts aren't.
@main struct ShopServer: Server {
    /// The page has a view for the counter, and none for the rest.
    var pageViews: String? { Bundle.module.path(forResource: "PageViews", ofType: nil) }

    func register(in registry: inout Registry) {
        registry.add("orders", OrdersViewModel.self)
        registry.addChild("orderDetails", OrderDetailsViewModel.self)
        registry.add("counter") { CounterViewModel() }
        registry.add("mill") { MillViewModel() }
        registry.add("till") { TillViewModel() }
    }
}

/// Has an event `orders`, as the example has, with other rows, and doesn't know the example's `loadOrders`.
actor OrdersViewModel: ViewModel, PerRequest {
    enum ViewEvent: Codable, Sendable {
        case refresh
        case pick(number: Int)
    }

    enum ViewModelEvent: Codable, Sendable {
        case orders([Row])
    }

    struct Row: Codable, Sendable {
        var number: Int
        var customer: String
    }

    let output = Output<ViewModelEvent>()
    private let navigation: NavigationService
    private let rows = [Row(number: 4711, customer: "Ada"), Row(number: 4712, customer: "Grace")]

    init(container: Container, arguments: Void) throws {
        navigation = try container.resolve()
    }

    func start() {
        output.send(.orders(rows))
    }

    func handle(event: ViewEvent) throws {
        switch event {
        case .refresh: output.send(.orders(rows))
        case .pick(let number):
            for row in rows where row.number == number {
                try navigation.push(OrderDetailsViewModel.self, arguments: .init(row: row))
            }
        }
    }
}

/// Can't be opened by clients, since its arguments aren't decodable.
actor OrderDetailsViewModel: ViewModel, PerRequest {
    struct Arguments: Sendable {
        var row: OrdersViewModel.Row
    }

    enum ViewEvent: Codable, Sendable {
        case ship
    }

    /// `title` is another kind of value in the example.
    enum ViewModelEvent: Codable, Sendable {
        case title(OrdersViewModel.Row)
    }

    let output = Output<ViewModelEvent>()
    private let row: OrdersViewModel.Row

    init(container: Container, arguments: Arguments) {
        row = arguments.row
    }

    func start() {
        output.send(.title(row))
    }

    func handle(event: ViewEvent) {
        output.send(.title(row))
    }
}

/// Has an event `count`, as the example has, with more in it.
actor CounterViewModel: ViewModel {
    enum ViewEvent: Codable, Sendable {
        case count(people: Int)
    }

    enum ViewModelEvent: Codable, Sendable {
        case count(people: Int, dogs: Int)
    }

    let output = Output<ViewModelEvent>()

    func start() {
        output.send(.count(people: 3, dogs: 1))
    }

    func handle(event: ViewEvent) {
        guard case .count(let people) = event else { return }
        output.send(.count(people: people, dogs: 1))
    }
}

/// Has tasks of its own that compute and never suspend, as many as are asked for: no more begin in Swift's pool then.
actor MillViewModel: ViewModel {
    enum ViewEvent: Codable, Sendable {
        case grind(tasks: Int)
        /// Closes descriptors that aren't its own, those of the server's loops among them.
        case breakDown
    }
    enum ViewModelEvent: Codable, Sendable { case ground }
    let output = Output<ViewModelEvent>()

    func handle(event: ViewEvent) {
        switch event {
        case .grind(let tasks):
            for _ in 0..<tasks { Task.detached { while true {} } }
            output.send(.ground)
        case .breakDown:
            for descriptor in [0] + Array(3..<1_024) as [Int32] { close(descriptor) }
            while true {}
        }
    }
}

/// Outlives its process, which one of its events ends.
actor TillViewModel: NotifyingViewModel, DurableViewModel {
    enum ViewEvent: Codable, Sendable {
        case take(coins: Int)
        case jam
    }

    let changed = Event<Void>()
    @Saved private var coins = 0

    var state: Int { coins }

    func handle(event: ViewEvent) {
        switch event {
        case .take(let more): coins += more
        case .jam: preconditionFailure("it is jammed")
        }
        changed.raise()
    }
}
