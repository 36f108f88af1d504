import Synchronization

/// The end of a session that is in a store. Until this end is stored, a later life of the server would have the session again.
/// So nobody is told of the end before, and no answer says so.
package struct StoredEnd {
    private let session: Session

    package init(of session: Session) {
        self.session = session
    }

    /// Whether the end has to be stored before it is told: a later life would have the session, or know that it was on screen.
    /// Read before the session ends.
    var isAwaited: Bool {
        guard let scene = session.scene, scene.committer != nil else { return false }
        return scene.host(of: session)?.isDurable ?? true
    }

    /// Why the end can't be stored now; nil while the store works, and where nothing is stored of the session.
    package var failure: SessionError? {
        session.scene?.committer?.journal.failure.map { .storeUnavailable($0.reason) }
    }

    /// Calls `action` once, on any thread, when the end may be told: at once where nothing is stored of the session, and where
    /// it goes on. With `refused` the session is still in the store.
    package func whenTold(_ action: @escaping StoreCompletion) {
        let outcome = session.state.withLock { state -> StoreOutcome? in
            if state.awaitStoredEnd(action) { return nil }
            return state.isLost ? .lostSession : .stored
        }
        if let outcome { action(outcome) }
    }

    /// Lets the end be told. Does nothing where it was told already.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the host's turn, or of the removal of a root.
    ///   - host: the session that this one was shown on; nil for a root.
    func release(_ outcome: StoreOutcome, on host: Session?) {
        switch outcome {
        case .stored:
            release(as: nil, .stored)
        case .lost:
            lose()
        case .refused:
            switch host.map({ $0.endReason ?? .failed }) ?? (failure == nil ? .failed : .serverShutdown) {
            // The session goes on in the next life.
            case .serverShutdown: lose()
            case .failed: release(as: .failed, outcome)
            // The host has ended, too, and is gone from the store with all that was shown on it.
            case let reason: release(as: reason, .stored)
            }
        }
    }

    private func release(as reason: EndReason?, _ outcome: StoreOutcome) {
        let (wakeups, actions) = session.state.withLock { $0.releaseEnd(as: reason) }
        wakeups.send()
        for action in actions { action(outcome) }
    }

    private func lose() {
        guard session.state.withLock({ $0.feed.holdsEnd }) else { return }
        SessionEviction(session: session).lose()
        release(as: .serverShutdown, .lostSession)
    }
}
