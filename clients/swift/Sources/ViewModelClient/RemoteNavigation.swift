import JSON
import JSONRPC
import ViewModelProtocol

/// A change of what is on top of a view model's View, as its server reports it on `RemoteViewModel.navigation`.
///
/// ```swift
/// let subscription = orders.navigation.subscribe { change in
///     guard case .push(let child) = change else { return }
///     let details: RemoteViewModel<DetailsEvent, DetailsViewEvent> = orders.child(child)
///     show(details)
/// }
/// ```
public enum RemoteNavigation: Hashable, Sendable {
    /// A child was pushed on the stack of the View.
    case push(RemoteChild)
    /// A child was presented over the View.
    case present(RemoteChild)
    /// The child that was pushed with this key is gone.
    case pop(key: String)
    /// The child that was presented with this key is gone.
    case dismiss(key: String)
    /// All that is there now, which replaces what was known: the stack, bottom first, and the child over it. Sent to a
    /// view that comes late, or comes back when the server no longer keeps the steps between.
    case shown(stack: [RemoteChild], presented: RemoteChild?)
}

/// A session that was pushed or presented on another. `RemoteViewModel.child(_:)` makes a view model of it.
public struct RemoteChild: Hashable, Sendable {
    /// The name that its view model is registered with.
    public let viewModel: String
    /// The key of its session: with it, any client may attach.
    public let key: String

    package init(viewModel: String, key: String) {
        self.viewModel = viewModel
        self.key = key
    }
}

extension RemoteNavigation {
    static func isReported(by method: MethodName) -> Bool {
        method == NavigationPush.name || method == NavigationPop.name || method == NavigationPresent.name
            || method == NavigationDismiss.name
    }

    /// Nil where a member is missing, or the notification is none of navigation.
    init?(_ method: MethodName, _ params: JSONValue) {
        guard let key = params.member("key")?.string() else { return nil }
        if method == NavigationPop.name {
            self = .pop(key: key)
        } else if method == NavigationDismiss.name {
            self = .dismiss(key: key)
        } else {
            guard let viewModel = params.member("viewModel")?.string() else { return nil }
            let child = RemoteChild(viewModel: viewModel, key: key)
            self = method == NavigationPush.name ? .push(child) : .present(child)
        }
    }

    /// - Parameter navigation: of an answer to `session/attach`; nil where nothing is there.
    init(shown navigation: SessionAttach.NavigationState?) {
        self = .shown(
            stack: navigation?.stack.map { RemoteChild($0) } ?? [],
            presented: navigation?.presented.value.map { RemoteChild($0) })
    }
}

extension RemoteChild {
    fileprivate init(_ child: SessionAttach.Child) {
        self.init(viewModel: child.viewModel, key: child.key.rawValue)
    }
}
