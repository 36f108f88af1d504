import Sessions
import TestSupport
import ViewModels

/// A view model that shows others of its kind, and does what else a test of navigation needs.
actor ScreenViewModel: ViewModel, PerRequest, BackHandling {
    struct Arguments: Codable, Sendable {
        /// Sent on start.
        var name: String?
        /// Where in its life it fails: "make" or "start".
        var fails: String?
        /// Takes itself off when it starts.
        var leaves: Bool?
        /// Pushes another one when it starts.
        var pushes: String?
        /// What it says to whoever wants to leave it.
        var refuses: String?
        /// Names the `Hold` that `wait` and `willGoBack` wait for.
        var hold: String?
    }

    enum ViewEvent: Codable, Sendable {
        case push(Arguments)
        case present(Arguments)
        case pop
        case dismiss
        /// Shows what nobody registered.
        case pushUnknown
        case emit(Int)
        /// Sends `value(1)`, takes itself off, and sends `value(2)`.
        case popBetween
        /// Takes itself off, and waits until the test releases it.
        case popAndWait
        /// Waits until the test releases it; ends early when cancelled.
        case wait
        case refuse(String?)
    }

    enum ViewModelEvent: Codable, Sendable {
        case name(String)
        case value(Int)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Registered by nobody.
    actor Unknown: PerRequest {
        init(container: Container, arguments: Void) {}
    }

    let output = Output<ViewModelEvent>()
    private let arguments: Arguments
    private var refusal: String?
    private let navigation: NavigationService
    private let presenter: PresenterService
    private let released: Recorder<String>?

    init(container: Container, arguments: Arguments) throws {
        if arguments.fails == "make" { throw Failure(description: "can't be made") }
        self.arguments = arguments
        refusal = arguments.refuses
        navigation = try container.resolve()
        presenter = try container.resolve()
        released = try? container.resolve()
    }

    deinit {
        if let name = arguments.name { released?.record(name) }
    }

    static func register(in registry: inout Registry) {
        registry.addChild("screen", ScreenViewModel.self, canBeOpened: true)
    }

    func start() throws {
        if let name = arguments.name { output.send(.name(name)) }
        if arguments.fails == "start" { throw Failure(description: "can't start") }
        if arguments.leaves == true { navigation.pop() }
        if let next = arguments.pushes { try navigation.push(Self.self, arguments: Arguments(name: next)) }
    }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .push(let arguments): try navigation.push(Self.self, arguments: arguments)
        case .present(let arguments): try presenter.present(Self.self, arguments: arguments)
        case .pop: navigation.pop()
        case .dismiss: presenter.dismiss()
        case .pushUnknown: try navigation.push(Unknown.self, arguments: ())
        case .emit(let value): output.send(.value(value))
        case .popBetween:
            output.send(.value(1))
            navigation.pop()
            output.send(.value(2))
        case .popAndWait:
            navigation.pop()
            await stand()
        case .wait:
            await stand()
            try Task.checkCancellation()
        case .refuse(let reason): refusal = reason
        }
    }

    func willGoBack() async throws {
        if arguments.hold != nil { await stand() }
        if let refusal { throw Failure(description: refusal) }
    }

    private func stand() async {
        await Hold.named(arguments.hold ?? "screen").stand()
    }
}
