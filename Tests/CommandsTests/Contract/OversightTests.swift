import Commands
import Contracts
import Sessions
import Testing
import ViewModels

/// Parts of a view model that compile and do nothing. Those that only the source shows are in `OutsidePackageTests`.
struct OversightTests {
    private actor Replacing: ViewModel {
        enum ViewEvent: Codable, ReplaceableEvent {
            case query(String)
            var coalescingKey: String? { "query" }
        }
        enum ViewModelEvent: Codable { case found([String]) }
        let output = Output<ViewModelEvent>()
        func handle(event: ViewEvent) {}
    }

    private actor Silent: ObservableViewModel {
        enum ViewEvent: Codable { case start }
        var isRunning = false
        func handle(event: ViewEvent) { isRunning = true }
    }

    private actor Listing: ObservableViewModel {
        enum ViewEvent: Codable { case start }
        let rows = Rows<Int>()
        func handle(event: ViewEvent) {}
    }

    private actor Sound: ViewModel {
        enum ViewEvent: Codable { case start }
        enum ViewModelEvent: Codable, ReplaceableEvent {
            case moved(Int)
            var coalescingKey: String? { "moved" }
        }
        let output = Output<ViewModelEvent>()
        func handle(event: ViewEvent) {}
        func snapshot() -> [ViewModelEvent] { [] }
    }

    private actor Unsaved: NotifyingViewModel, DurableViewModel {
        enum ViewEvent: Codable { case start }
        struct State: Codable { var isRunning = false }
        nonisolated let changed = Event<Void>()
        private(set) var state = State()
        func handle(event: ViewEvent) { state.isRunning = true }
    }

    @Test func `what the types show is found without the source`() {
        var registry = Registry()
        registry.add("replacing") { Replacing() }
        registry.add("silent") { Silent() }
        registry.add("listing") { Listing() }
        registry.add("sound") { Sound() }
        registry.add("unsaved") { Unsaved() }
        #expect(
            Oversight.all(in: registry, Documentation()).map(\.text) == [
                "replacing: ReplaceableEvent does nothing on a view event: conform to ScheduledEvent",
                "silent: it sends nothing: no property of it is @Observed, a Dynamic or Rows",
                "unsaved: its state isn't saved: make the properties that it is made of @Saved",
            ])
    }
}
