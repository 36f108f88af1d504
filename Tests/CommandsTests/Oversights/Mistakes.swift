import ViewModels

// View models of which each has one part that does nothing.

enum NoEvent: Codable, Sendable { case nothing }

actor NotDurable: ViewModel {
    let output = Output<NoEvent>()
    @Saved private var count = 0
    func handle(event: NoEvent) {}
}

actor OwnState: ViewModel, DurableViewModel {
    let output = Output<NoEvent>()
    @Saved private var count = 0
    private let name = Saved("")
    var savedState: Int { count }
    func restore(_ savedState: Int) { count = savedState }
    func handle(event: NoEvent) {}
}

actor PlainVariables: ViewModel, DurableViewModel {
    let output = Output<NoEvent>()
    private let name = "constant"
    private var task: Task<Void, Never>?
    private var count = 0
    private var basket: [String: Int]?
    private lazy var computed = 0
    func handle(event: NoEvent) { count += 1 }
}

actor PlainState: NotifyingViewModel, DurableViewModel {
    struct State: Codable { var isRunning = false }
    nonisolated let changed = Event<Void>()
    private(set) var state = State()
    func handle(event: NoEvent) { state.isRunning = true }
}

actor DurableChild: ViewModel, DurableViewModel, PerRequest {
    let output = Output<NoEvent>()
    @Saved private var count = 0
    init(container: Container, arguments: Int) {}
    func handle(event: NoEvent) {}
}

actor Containers: ViewModel {
    let output = Output<NoEvent>()
    let pages = [Rows<Int>()]
    var page = Rows<Int>()
    lazy var later = Rows<Int>()
    private var maybe: [String: Rows<Int>?] = [:]
    let rows = Rows<Int>()
    func handle(event: NoEvent) {}
}

actor VariableProperties: ObservableViewModel {
    @Observed var count = 0
    var title = Dynamic("")
    lazy var later = Dynamic("")
    func handle(event: NoEvent) {}
}

actor VariableSaved: ViewModel, DurableViewModel {
    let output = Output<NoEvent>()
    private var count = Saved(0)
    private let counts = ["one": Saved(1)]
    func handle(event: NoEvent) { count = Saved(1) }
}

actor Output2: ObservableViewModel {
    @Observed var count = 0
    let output = Output<NoEvent>()
    func handle(event: NoEvent) { output.send(.nothing) }
}

actor Output3: NotifyingViewModel {
    nonisolated let changed = Event<Void>()
    let output = Output<NoEvent>()
    var state = 0
    func handle(event: NoEvent) { output.send(.nothing) }
}

actor Silent: ObservableViewModel {
    var isRunning = false
    func handle(event: NoEvent) { isRunning = true }
}

/// Keeps an object as its only state.
actor Keeper<Kept: Resolvable>: ViewModel, DurableViewModel, PerRequest where Kept.Arguments == Void {
    let output = Output<NoEvent>()
    private let kept: [String: Kept]?
    @Saved private var count = 0
    init(container: Container, arguments: Void) { kept = nil }
    func handle(event: NoEvent) {}
}

/// The same, and it isn't durable.
actor Passing<Kept: Resolvable>: ViewModel, PerRequest where Kept.Arguments == Void {
    let output = Output<NoEvent>()
    private let kept: Kept?
    init(container: Container, arguments: Void) { kept = nil }
    func handle(event: NoEvent) {}
}

final class PlainSingleton: Singleton {
    private let ids = Saved<[Int]>([])
    init(container: Container, arguments: Void) {}
}

final class Helper: PerRequest {
    private let count = Saved(0)
    private let draft = Draft()
    init(container: Container, arguments: Void) {}
}

struct Draft: Sendable {
    @Saved var text = ""
}

final class EmptySingleton: DurableSingleton {
    private let ids: [Int] = []
    init(container: Container, arguments: Void) {}
}

final class InstanceNames: DurableSingleton {
    let scope = SingletonScope.session
    let savedName = "Basket"
    let savedStateVersion = 2
    private let ids = Saved<[Int]>([])
    init(container: Container, arguments: Void) {}
}

actor InstanceVersion: ViewModel, DurableViewModel {
    let savedStateVersion = 2
    let output = Output<NoEvent>()
    @Saved private var count = 0
    func handle(event: NoEvent) {}
}

struct Versioned: Codable, DurableArguments { var number = 0 }

actor Replacing: ViewModel {
    enum ViewEvent: Codable, ReplaceableEvent {
        case query(String)
        var coalescingKey: String? { "query" }
    }
    let output = Output<NoEvent>()
    func handle(event: ViewEvent) {}
}

actor Scheduling: ViewModel {
    enum ViewModelEvent: Codable, ScheduledEvent {
        case done
        var schedule: EventSchedule { .inOrder }
    }
    let output = Output<ViewModelEvent>()
    func handle(event: NoEvent) {}
}

actor Refusing: ViewModel, BackHandling, PerRequest {
    let output = Output<NoEvent>()
    init(container: Container, arguments: Void) {}
    func handle(event: NoEvent) {}
    func willGoBack() throws {}
}
