/// A session as its host knows it.
package struct NavigationChild: Sendable, Hashable {
    package let key: String
    /// The name that its view model was registered under.
    package let viewModel: String

    package init(key: String, viewModel: String) {
        self.key = key
        self.viewModel = viewModel
    }
}

/// A child that came onto the screen or left it, numbered among its host's events.
package struct NavigationChange: Sendable, Equatable {
    /// The kinds of changes, in the words of the protocol.
    package enum Kind: Sendable, CaseIterable {
        case push
        case present
        case pop
        case dismiss
    }

    package let kind: Kind
    package let child: NavigationChild

    package init(_ kind: Kind, _ child: NavigationChild) {
        self.kind = kind
        self.child = child
    }
}

/// The children of one host, by the changes in its log. Pure.
package struct HostNavigation: Sendable, Equatable {
    /// The pushed children, bottom first.
    package private(set) var stack: [NavigationChild] = []
    package private(set) var presented: NavigationChild?

    package var isEmpty: Bool { stack.isEmpty && presented == nil }

    mutating func apply(_ change: NavigationChange) {
        switch change.kind {
        case .push: stack.append(change.child)
        case .present: presented = change.child
        case .pop: stack.removeAll { $0 == change.child }
        case .dismiss: presented = nil
        }
    }

    /// Goes back to before `change`, which must be the last that was applied. Only the top of a stack is ever taken
    /// off, so a popped child comes back on top.
    mutating func undo(_ change: NavigationChange) {
        switch change.kind {
        case .push: stack.removeAll { $0 == change.child }
        case .present: presented = nil
        case .pop: stack.append(change.child)
        case .dismiss: presented = change.child
        }
    }
}
