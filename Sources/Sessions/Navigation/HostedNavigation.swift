/// What stands on one session and over it, as its own stream of changes tells. Pure.
package struct HostedNavigation: Sendable, Equatable {
    /// What was pushed, bottom first.
    package private(set) var stack: [NavigationChild] = []
    /// What was presented.
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

    /// Goes back to before `change`, the last that was applied. Only the top of a stack is ever taken off, so that is where
    /// it comes back to.
    mutating func undo(_ change: NavigationChange) {
        switch change.kind {
        case .push: stack.removeAll { $0 == change.child }
        case .present: presented = nil
        case .pop: stack.append(change.child)
        case .dismiss: presented = change.child
        }
    }
}
