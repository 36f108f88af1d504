/// What a view model on a server asked to be shown on top of its own View, or taken off.
public enum RemoteNavigation: Hashable, Sendable {
    /// On the stack of the View that it is told to.
    case push(RemoteChild)
    /// Over it.
    case present(RemoteChild)
    /// What was pushed with this key is gone.
    case pop(key: String)
    /// What was presented with this key is gone.
    case dismiss(key: String)
    /// All that stands there now, which replaces what was known: the stack bottom first, and what is over it. Told to who
    /// comes late, or back after a time that the server doesn't remember step by step.
    case shown(stack: [RemoteChild], presented: RemoteChild?)
}

/// A session that stands on another.
public struct RemoteChild: Hashable, Sendable {
    /// The name that its view model is registered with.
    public let viewModel: String
    /// Whoever has it may attach.
    public let key: String

    package init(viewModel: String, key: String) {
        self.viewModel = viewModel
        self.key = key
    }
}
