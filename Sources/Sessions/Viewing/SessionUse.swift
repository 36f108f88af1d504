import Synchronization

/// Who uses a session in memory.
package struct SessionUse: Sendable {
    /// How many views the session has.
    package let views: Int
    /// For how long the session and what is on or over it have had no view: zero while one has; nil where none had any in this
    /// life.
    package let unusedFor: Duration?
    /// The title of a durable session, as far as it may be told.
    package let title: String?
}

/// How a session that was found in memory stands.
package enum SessionStanding: Sendable {
    case inMemory(SessionUse)
    /// The session is in the store, and what it was in memory doesn't count.
    case onlyStored
    /// The session has ended, or nobody was told yet that it is there.
    case ended
}

extension Session {
    package var standing: SessionStanding {
        let (views, title, other) = state.withLock { state in
            (state.feed.views.count, state.title?.told, state.otherStanding(isRestored: isRestored))
        }
        if let other { return other }
        let used = scene?.views ?? ResumeWindow(session: self).views
        let time = used.are ? .zero : used.lastDetached.map { context.elapsed() - $0 }
        return .inMemory(SessionUse(views: views, unusedFor: time, title: title))
    }
}

extension SessionState {
    /// Returns how a session stands that isn't simply in memory; nil for one that is.
    fileprivate func otherStanding(isRestored: Bool) -> SessionStanding? {
        if isLeaving || kept?.staysStored == true || failure != nil { return .onlyStored }
        if isOver { return .ended }
        if lifetime.awaitsOpening || lifetime.isBeingOpened { return isRestored ? .onlyStored : .ended }
        return isRestored || kept?.isMade != false ? nil : .ended
    }
}
