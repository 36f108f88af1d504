import Synchronization
package import ViewModels

// Who looks at a session, and who is told of it.

/// One of a session's views, as it is told to the others.
package struct PresentView: Sendable {
    package let client: Client?
    package let options: ViewOptions
    /// Whether it is the one that is told.
    package let isSelf: Bool
}

extension SessionView {
    /// Those who look through the view; none where its client has come back in another one.
    var viewers: [Client] {
        if options.contains(.isOfViewModel) { return introduction?.viewers ?? [] }
        return isPresent ? [visitor ?? Client()] : []
    }
}

extension SessionState {
    /// Those who look at the session. Nobody looks at one that is about to end.
    var viewers: [Client] { isOver ? [] : feed.views.elements.flatMap(\.viewers) }
}

extension Session {
    /// The most viewers of one session that another one is told of.
    private static let toldViewers = 100

    /// The views that others are told of, in the order in which they were attached.
    ///
    /// - Parameter view: the one that is told.
    package func presentViews(for view: Int) -> [PresentView] {
        state.withLock { state in
            state.feed.views.elements.filter(\.isPresent).map {
                PresentView(client: $0.visitor, options: $0.options, isSelf: $0.id == view)
            }
        }
    }

    /// Those who look at the session, as another one is told of them that its view model has a View of.
    var viewersToTell: [Client] { state.withLock { Array($0.viewers.prefix(Self.toldViewers)) } }

    /// Notes who looks through a view, which another view model has.
    package func setViewers(_ viewers: [Client], of view: Int) {
        state.withLock { $0.feed.setViewers(Array(viewers.prefix(Self.toldViewers)), of: view) }
        viewersDidChange()
    }

    /// Has everybody look again who asks who is here: the view model, the views, and the sessions that the view model has
    /// Views of. Called with no lock held.
    ///
    /// - Parameter view: one that needn't be told, as it has only just come.
    func viewersDidChange(besides view: Int? = nil) {
        let (told, parts) = state.withLock { state in
            let told = state.feed.views.elements.filter {
                $0.options.contains(.isToldOfViews) && $0.id != view && $0.end == nil
            }
            return (told, state.hasShared ? state.shared?.parts ?? [] : [])
        }
        LifeRunner(session: self).viewsDidChange()
        for view in told { view.viewer.viewsDidChange(for: view.number) }
        for part in parts { part.connection.viewersDidChange() }
    }
}
