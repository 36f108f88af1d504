import Synchronization
import ViewModels

// View models that look as if a part of them did nothing.

actor Sound: ViewModel {
    enum ViewModelEvent: Codable, ReplaceableEvent {
        case moved(Int)
        var coalescingKey: String? { "moved" }
    }
    let output = Output<ViewModelEvent>()
    private var count = 0
    func handle(event: NoEvent) { count += 1 }
    func snapshot() -> [ViewModelEvent] { [] }
}

/// What isn't saved may be lost.
actor SavedAndOthers: ViewModel, DurableViewModel {
    let output = Output<NoEvent>()
    @Saved private var count = 0
    let rows = Rows<Int>()
    private var isLoading = false
    private var cache: [String: Int] = [:]
    func handle(event: NoEvent) { isLoading = true }
}

/// All that it has are its arguments, services and work, and a user's own wrapper.
actor NoState: ViewModel, DurableViewModel {
    @propertyWrapper struct Clamped: Codable { var wrappedValue = 0 }
    final class Cache: Codable, Sendable {}
    struct Service: Sendable { var number = 0 }
    enum Phase { case idle, running }

    let output = Output<NoEvent>()
    private let order = ["Tea"]
    private var task: Task<Void, Never>?
    private var service = Service()
    private var phase = Phase.idle
    private var cache = Cache()
    private weak var other: Cache?
    private var action: (@Sendable () -> Void)?
    private var clock: any Clock<Duration> = ContinuousClock()
    private lazy var computed = 7
    @Clamped private var level
    func handle(event: NoEvent) { phase = .running }
}

final class Basket: DurableSingleton {
    private let ids = Saved<[Int]>([])
    private let hits = Mutex(0)
    init(container: Container, arguments: Void) {}
}

/// A shared object has its state.
actor SavedElsewhere: NotifyingViewModel, DurableViewModel, PerRequest {
    nonisolated let changed = Event<Void>()
    private let basket: Basket
    private var count = 0
    var state: Int { count }
    init(container: Container, arguments: Void) throws { basket = try container.resolve() }
    func handle(event: NoEvent) { count += 1 }
}

actor SavedAsAWhole: ViewModel, DurableViewModel {
    let output = Output<NoEvent>()
    private var count = 0
    var savedState: Int { count }
    func restore(_ savedState: Int) { count = savedState }
    func handle(event: NoEvent) { count += 1 }
}

/// What is there for others than Views.
actor Plumbing: ViewModel {
    struct Shared: Sendable {
        let rows = Rows<Int>()
        var title = Dynamic("")
    }

    let output = Output<NoEvent>()
    @Observed var count = 0
    var title = Dynamic("")
    private let titles = [Dynamic("")]
    private let shared = Shared()
    private let changed = Event<Void>()
    func handle(event: NoEvent) { title = titles[0] }
}

actor Listing: ObservableViewModel {
    let rows = Rows<Int>()
    func handle(event: NoEvent) {}
}

/// Its types have no end.
final class Growing<Element: Sendable>: Singleton {
    private let next: Growing<[Element]>? = nil
    init(container: Container, arguments: Void) {}
}

/// One type is both of its events.
actor Both: ViewModel {
    enum Event: Codable, ReplaceableEvent, ScheduledEvent {
        case moved
        var coalescingKey: String? { "moved" }
        var schedule: EventSchedule { .inOrder }
    }
    let output = Output<Event>()
    func handle(event: Event) {}
}
