public import ViewModelServer

/// The examples: a course in eight lessons.
///
/// 1. `Hello`: one value and one action, the smallest view model.
/// 2. `Counter`: events in and out as two enums, with arguments and errors.
/// 3. `Stopwatch`: properties as events, a clock from the container, and work that goes on by itself.
/// 4. `Todos`: a small state that is sent as a whole.
/// 5. `Orders`: dependencies, slow work with progress, and navigation between three view models.
/// 6. `Numbers`: lists of any length, of which each View asks for the rows that it shows.
/// 7. `Finder`: a tool for every day, which searches the folder that the server was started in.
/// 8. `Board`: data that many share, and a screen for each person.
///
/// Each is whole in a folder of its own and begins with what it shows.
public enum Examples {
    /// Registers every example. Those that measure time do it by the clock of the registry's container.
    ///
    /// - Parameter registry: has none of their names yet.
    public static func register(in registry: inout Registry) {
        registry.container.register((any OrdersProvider).self) { container in
            try SampleOrdersProvider(clock: container.resolve())
        }
        registry.container.register(ServedFolder.self) { _ in ServedFolder(".") }
        registry.add("hello") { HelloViewModel() }
        registry.add("counter") { CounterViewModel(arguments: $0) }
        registry.add("stopwatch", StopwatchViewModel.self)
        registry.add("todos", scope: .person) { TodosViewModel(arguments: $0) }
        registry.add("orders", OrdersViewModel.self)
        registry.add("numbers") { NumbersViewModel(arguments: $0) }
        registry.add("finder", FinderViewModel.self, scope: .person)
        registry.addChild("finderPreview", FinderPreviewViewModel.self)
        registry.add("board", scope: .everyone) { BoardViewModel(arguments: $0) }
        registry.add("boardScreen", BoardScreenViewModel.self, scope: .person)
        registry.addChild("boardCard", BoardCardViewModel.self)
        registry.addChild("orderDetails", OrderDetailsViewModel.self, canBeOpened: true)
        registry.addChild("confirmCancel", ConfirmCancelViewModel.self)
    }
}
