/// The holder of views: a connection, as its sessions see it.
///
/// Its members are called on any thread and with no lock held, so they may call the session back. They must not block:
/// the view model that sends waits for them.
package protocol SessionViewer: AnyObject, Sendable {
    /// Called when events wait for the view. Not called again before the view has taken them all.
    func viewHasEvents(_ view: Int)
    /// Called with a message for a person, which is no event.
    func sessionReports(_ message: String, for view: Int)
    /// Called when a view of the session has come or gone, for a view that is told of that.
    func viewsDidChange(for view: Int)
    /// Called when the view's session goes on at another server. Nothing more of it may be told here, and its client must come
    /// back.
    func sessionIsLost(_ view: Int)
}

extension SessionViewer {
    /// Does nothing.
    package func viewsDidChange(for view: Int) {}
}

/// A call of `viewHasEvents(_:)` that is left to be made, with no lock held.
struct Wakeup {
    let viewer: any SessionViewer
    /// The view's number on its connection.
    let view: Int

    func send() {
        viewer.viewHasEvents(view)
    }
}

/// The wakeups that one event leads to: nearly always one or none, which needs no array.
struct Wakeups: Sequence {
    private var first: Wakeup?
    private var others: [Wakeup] = []
    /// A durable session that has something to store before its views are woken.
    var unstored: Session?

    mutating func append(_ wakeup: Wakeup) {
        if first == nil { first = wakeup } else { others.append(wakeup) }
    }

    func send() {
        first?.send()
        for wakeup in others { wakeup.send() }
        if let unstored { TurnCommitter(session: unstored).save() }
    }

    func makeIterator() -> Array<Wakeup>.Iterator {
        ((first.map { [$0] } ?? []) + others).makeIterator()
    }
}
