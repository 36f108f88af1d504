/// Shows a child on top of the session's stack. The client attaches with its key.
package enum NavigationPush: ServerNotification {
    package static let name: StaticString = "navigation/push"
    package typealias Params = ShownChild

    package static let examples = [
        MessageExample("details", #"{"session":1,"seq":4,"viewModel":"orderDetails","key":"key-2"}"#)
    ]
}

/// Shows a child over the session. The client attaches with its key.
package enum NavigationPresent: ServerNotification {
    package static let name: StaticString = "navigation/present"
    package typealias Params = ShownChild

    package static let examples = [
        MessageExample("a question", #"{"session":2,"seq":4,"viewModel":"confirmCancel","key":"key-3"}"#)
    ]
}

/// The pushed child with this key was taken off.
package enum NavigationPop: ServerNotification {
    package static let name: StaticString = "navigation/pop"
    package typealias Params = RemovedChild

    package static let examples = [MessageExample("details", #"{"session":1,"seq":5,"key":"key-2"}"#)]
}

/// The presented child with this key was taken off.
package enum NavigationDismiss: ServerNotification {
    package static let name: StaticString = "navigation/dismiss"
    package typealias Params = RemovedChild

    package static let examples = [MessageExample("a question", #"{"session":2,"seq":6,"key":"key-3"}"#)]
}

package struct ShownChild: Codable, Sendable {
    package var session: ViewNumber
    package var seq: EventNumber
    /// The name under which the child's view model is registered.
    package var viewModel: String
    /// The child's.
    package var key: SessionKey
    /// The number that this view was sent before, where newer events have replaced those between. Absent where it is
    /// seq - 1.
    package var after: SequenceNumber?
    /// Another event of the same turn follows at once. Absent otherwise.
    package var more: Flag?

    package init(
        session: ViewNumber, seq: EventNumber, viewModel: String, key: SessionKey, after: SequenceNumber? = nil,
        more: Flag? = nil
    ) {
        self.session = session
        self.seq = seq
        self.viewModel = viewModel
        self.key = key
        self.after = after
        self.more = more
    }
}

package struct RemovedChild: Codable, Sendable {
    package var session: ViewNumber
    package var seq: EventNumber
    /// The child's.
    package var key: SessionKey
    /// The number that this view was sent before, where newer events have replaced those between. Absent where it is
    /// seq - 1.
    package var after: SequenceNumber?
    /// Another event of the same turn follows at once. Absent otherwise.
    package var more: Flag?

    package init(
        session: ViewNumber, seq: EventNumber, key: SessionKey, after: SequenceNumber? = nil, more: Flag? = nil
    ) {
        self.session = session
        self.seq = seq
        self.key = key
        self.after = after
        self.more = more
    }
}
