import Synchronization
import ViewModels

/// An application's own `Navigator`, as short as it can be: it makes each view model and its View, and keeps the Views
/// that are on screen.
final class ScreenNavigator: Navigator {
    typealias AnyView = any AnyObject & Sendable

    /// There is no View for this view model.
    struct NoView: Error {}

    private struct State {
        var tree = NavigationTree(root: 0)
        var views: [Int: AnyView] = [:]
        var lastScreen = 0
    }

    private let container: Container
    private let view: @Sendable (AnyObject) -> AnyView?
    private let state = Mutex(State())

    /// - Parameter view: makes the View for a view model; nil where there is none.
    init(container: Container, view: @escaping @Sendable (AnyObject) -> AnyView?) {
        self.container = container
        self.view = view
    }

    /// The Views on screen, bottom first, but for the root.
    var views: [AnyView] {
        state.withLock { state in state.views.sorted { $0.key < $1.key }.map(\.value) }
    }

    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        let model = try container.resolve(type, arguments: arguments)
        guard let view = view(model) else { throw NoView() }
        state.withLock { state in
            state.lastScreen += 1
            state.views[state.lastScreen] = view
            switch transition {
            case .push: state.tree.push(state.lastScreen)
            case .present: state.tree.present(state.lastScreen)
            }
        }
    }

    func takeOff(_ transition: Transition) {
        let views = state.withLock { state in
            let screen = transition == .push ? state.tree.popped : state.tree.dismissed
            return screen.map { state.tree.remove($0) }?.map { state.views.removeValue(forKey: $0.screen) }
        }
        withExtendedLifetime(views) {}
    }
}
