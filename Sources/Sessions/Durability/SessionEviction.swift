import Synchronization

/// The end of a durable session's life, while the session stays in the store.
struct SessionEviction {
    let session: Session

    /// Ends the life of a session that goes on, as it was stored last, when a view is attached.
    func leave() {
        session.state.withLock { state in
            state.kept?.staysStored = true
            // A request that is cut off, as one is that takes longer than the server's grace, isn't told of an end: its client
            // asks again in the next life.
            state.isLost = true
        }
        session.end(.serverShutdown)
    }

    /// Ends the life of a session whose state or turn can't be stored, and of its whole scene.
    ///
    /// - Parameter failure: told to clients that attach before the session is gone from memory.
    func fail(_ failure: SessionError?) {
        if let scene = session.scene { scene.fail(at: session, failure) } else { leave(after: failure) }
    }

    /// Ends a life that has failed. The session stays in the store as it was stored last.
    func leave(after failure: SessionError?) {
        session.state.withLock { state in
            state.kept?.staysStored = true
            state.failure = state.failure ?? failure
        }
        session.end(.failed)
    }

    /// Ends the life of a session that goes on at another server. Nothing more is told or answered here: the viewers have their
    /// clients come back.
    func lose() {
        let views = session.state.withLock { state in
            state.kept?.staysStored = true
            state.isLost = true
            defer { state.feed.forgetViews() }
            return state.feed.views.elements
        }
        for view in views { view.viewer.sessionIsLost(view.number) }
        session.end(.serverShutdown)
    }
}

extension Session {
    /// Ends this life where the session's scene can't be made of what is stored. Called before the scene begins, which stays
    /// stored.
    package func giveUpRestoring() {
        SessionEviction(session: self).leave()
    }
}
