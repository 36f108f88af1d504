import Synchronization

/// The end of a session in memory alone.
struct LifeEnd {
    let session: Session

    /// It stays in the store as it was stored last, and goes on when a view is attached.
    func leave() {
        session.state.withLock { state in
            state.kept?.staysStored = true
            // A request that is cut off, as one is that takes longer than the server's grace, isn't told of an end: its client
            // asks again in the next life.
            state.isLost = true
        }
        session.end(.serverShutdown)
    }

    /// It can't go on, as its state or a turn of it can't be stored, and takes all of its scene along.
    ///
    /// - Parameter failure: what a view is told that comes to attach before the session is gone from memory.
    func fail(_ failure: SessionError?) {
        if let scene = session.scene { scene.fail(at: session, failure) } else { leave(after: failure) }
    }

    /// It stays in the store as it was stored last.
    func leave(after failure: SessionError?) {
        session.state.withLock { state in
            state.kept?.staysStored = true
            state.failure = state.failure ?? failure
        }
        session.end(.failed)
    }

    /// It goes on elsewhere. Nothing more of it is told or answered: its viewers have their clients come back.
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
    /// Its scene was to be made of what is stored, and can't be. Called before the scene begins; it stays stored.
    package func giveUpRestoring() {
        LifeEnd(session: self).leave()
    }
}
