import JSON
import JSONRPC
import ViewModelProtocol

/// A change of what is shown on or over a view model's View. `RemoteViewModel.navigation` sends it.
///
/// ```swift
/// let subscription = orders.navigation.subscribe { change in
///     guard case .push(let child) = change else { return }
///     let details: RemoteViewModel<DetailsEvent, DetailsViewEvent> = orders.child(child)
///     show(details)
/// }
/// ```
public enum RemoteNavigation: Hashable, Sendable {
    /// A child was pushed onto the stack of the View.
    case push(RemoteChild)
    /// A child was presented over the View.
    case present(RemoteChild)
    /// The pushed child with this key was taken off.
    case pop(key: String)
    /// The presented child with this key was taken off.
    case dismiss(key: String)
    /// Everything that is shown now: the stack, bottom first, and the child over it. It replaces what was known before.
    ///
    /// Sent to a view that comes late, and to one that comes back when the server no longer has the steps between.
    case shown(stack: [RemoteChild], presented: RemoteChild?)
}

/// A session that is shown on or over another one. `RemoteViewModel.child(_:)` makes its view model.
public struct RemoteChild: Hashable, Sendable {
    /// The name under which its view model is registered.
    public let viewModel: String
    /// The key of its session, with which any client may attach.
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

    /// Reads a notification; nil if a member is missing, or the notification isn't about navigation.
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

    /// Makes a `shown` from a view's state.
    ///
    /// - Parameter navigation: the state in an answer to `session/attach`; nil if nothing is shown.
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
