import JSON
import JSONRPC

/// A change of what is on top of a view model's View, as its server reports it on `RemoteViewModel.navigation`.
///
/// ```swift
/// let subscription = orders.navigation.subscribe { change in
///     if case .push(let child) = change { show(orders.child(child) as RemoteViewModel<DetailsEvent, DetailsViewEvent>) }
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
    /// All that is there now, which replaces what was known: the stack, bottom first, and the child over it. Sent to a view
    /// that comes late, or comes back when the server no longer keeps the steps between.
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
    /// Nil where a member is missing, or the notification is none of navigation.
    init?(_ kind: Notification, _ params: JSONValue) {
        switch kind {
        case .navigationPush:
            guard let child = RemoteChild(params) else { return nil }
            self = .push(child)
        case .navigationPresent:
            guard let child = RemoteChild(params) else { return nil }
            self = .present(child)
        case .navigationPop:
            guard let key = params.member("key")?.string() else { return nil }
            self = .pop(key: key)
        case .navigationDismiss:
            guard let key = params.member("key")?.string() else { return nil }
            self = .dismiss(key: key)
        default: return nil
        }
    }

    /// - Parameter navigation: the member of an answer to `session/attach`; nil where nothing is there.
    init(shown navigation: JSONValue?) {
        var stack: [RemoteChild] = []
        navigation?.member("stack")?.forEachElement { if let child = RemoteChild($0) { stack.append(child) } }
        self = .shown(stack: stack, presented: navigation?.member("presented").flatMap { RemoteChild($0) })
    }
}

extension RemoteChild {
    fileprivate init?(_ value: JSONValue) {
        guard let viewModel = value.member("viewModel")?.string(), let key = value.member("key")?.string() else {
            return nil
        }
        self.init(viewModel: viewModel, key: key)
    }
}
