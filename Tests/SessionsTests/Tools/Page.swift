import Sessions
import ViewModels

/// A view model that does what the test says at each point of its life.
final class Page: ViewModel, PerRequest, BackHandling {
    struct Script: Sendable {
        var onMake: (@Sendable (Container) throws -> Void)?
        var onStart: (@Sendable (NavigationService) async throws -> Void)?
        var onEvent: (@Sendable (NavigationService) async throws -> Void)?
        var onSnapshot: (@Sendable (NavigationService) async throws -> Void)?
        var onGoBack: (@Sendable (NavigationService) async throws -> Void)?
        var onRelease: (@Sendable (NavigationService) -> Void)?
    }

    let output = Output<HostedOutput>()
    let navigation: NavigationService
    private let script: Script
    /// Kept, as view models may.
    private let container: Container

    init(container: Container, arguments script: Script) throws {
        self.container = container
        self.script = script
        navigation = try container.resolve()
        try script.onMake?(container)
    }

    deinit {
        script.onRelease?(navigation)
    }

    func start() async throws { try await script.onStart?(navigation) }
    func handle(event: HostedInput) async throws { try await script.onEvent?(navigation) }
    func willGoBack() async throws { try await script.onGoBack?(navigation) }

    func snapshot() async throws -> [HostedOutput] {
        try await script.onSnapshot?(navigation)
        return [.sum(7)]
    }
}

/// Shared by a session and everything on or over it.
final class Basket: Singleton {
    static let scope = SingletonScope.session

    init(container: Container, arguments: Void) {}
}
