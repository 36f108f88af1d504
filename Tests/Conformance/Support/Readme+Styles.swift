import Testing

extension Readme {
    /// The package of the README with every other way that it shows to write a view model, filled in only where the README
    /// leaves out what each reader has of their own.
    func styles() throws -> String {
        let greeter = try #require(block(with: "@main struct Greeter"))
        let stopwatch = try #require(block(with: "actor StopwatchViewModel"))
        let todos = try #require(block(with: "actor TodosViewModel"))
        let orders = try #require(block(with: "actor OrdersViewModel"))
        let handler = try #require(block(with: "navigation.push(OrderDetailsViewModel.self"))
        try #require(orders.text.contains("    // …\n"))

        let isRegistration = { (line: String) in line.hasPrefix("registry.") }
        let model = orders.lines.filter { !isRegistration($0) }.joined(separator: "\n")
            .replacing("    // …\n", with: Self.ordersMembers + handler.text)
        let own = "        registry.add(\"greeter\") { GreeterViewModel($0) }\n"
        try #require(greeter.text.contains(own))
        let registrations =
            orders.lines.filter(isRegistration) + [
                #"registry.add("stopwatch") { StopwatchViewModel() }"#, #"registry.add("todos") { TodosViewModel() }"#,
                #"registry.add("orderDetails", OrderDetailsViewModel.self)"#,
                #"registry.add("confirmCancel", ConfirmCancelViewModel.self)"#,
            ]
        let all = greeter.text.replacing(own, with: own + registrations.joined(separator: "\n") + "\n")
        return [all, stopwatch.text, todos.text, model, Self.ordersNeighbours].joined(separator: "\n")
    }

    private static let ordersMembers = """
        enum ViewEvent: Codable { case selectOrder(index: Int), cancelOrder, done }
        enum ViewModelEvent: Codable { case orders([String]) }
        struct Arguments: Codable {}

        let output = Output<ViewModelEvent>()
        private var orders: [String] { provider.orders }
        private var order: String { orders.first ?? "" }

        func start() { output.send(.orders(orders)) }

        """

    private static let ordersNeighbours = """
        protocol OrdersProvider: Sendable { var orders: [String] { get } }

        struct LiveOrders: OrdersProvider { var orders: [String] { ["Tea", "Milk"] } }

        actor OrderDetailsViewModel: ObservableViewModel, PerRequest {
            enum ViewEvent: Codable { case done }
            @Observed var order: String
            private let navigation: NavigationService

            init(container: Container, arguments: String) throws {
                _order = Observed(wrappedValue: arguments)
                navigation = try container.resolve()
            }

            func handle(event: ViewEvent) { navigation.pop() }
        }

        @MainActor final class ConfirmCancelViewModel: NotifyingViewModel, PerRequest {
            enum ViewEvent: Codable { case no }
            let changed = Event<Void>()
            let state: String
            private let presenter: PresenterService

            nonisolated init(container: Container, arguments: String) throws {
                state = "Cancel \\(arguments)?"
                presenter = try container.resolve()
            }

            func handle(event: ViewEvent) { presenter.dismiss() }
        }
        """
}
