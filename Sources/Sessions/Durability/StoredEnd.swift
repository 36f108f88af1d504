import Synchronization

/// The end of a session that is in a store: until that is stored, a later life of the server has the session again. So nobody
/// is told of it before, and nothing is answered that says so.
package struct StoredEnd {
    private let session: Session

    package init(of session: Session) {
        self.session = session
    }

    /// A later life would have the session, or know that it was on screen. Asked before it ends.
    var isAwaited: Bool {
        guard let scene = session.scene, scene.keeper != nil else { return false }
        return scene.host(of: session)?.isDurable ?? true
    }

    /// Why it can't be stored now; nil while the store works, and where nothing is stored of the session.
    package var failure: SessionError? {
        session.scene?.keeper?.journal.failure.map { .storeUnavailable($0.reason) }
    }

    /// Calls `action` once, on any thread, when all may know of the end: at once where nothing is stored of it, and where the
    /// session goes on. With `refused` the session is still in the store.
    package func whenTold(_ action: @escaping StoreAction) {
        let outcome = session.state.withLock { state -> StoreOutcome? in
            if state.awaitStoredEnd(action) { return nil }
            return state.isLost ? .lostSession : .stored
        }
        if let outcome { action(outcome) }
    }

    /// Tells of the end. Does nothing where that was done.
    ///
    /// - Parameters:
    ///   - outcome: of the turn of the host, or of the removal of a root.
    ///   - host: what the session was shown on; nil for a root.
    func release(_ outcome: StoreOutcome, on host: Session?) {
        switch outcome {
        case .stored:
            release(as: nil, .stored)
        case .lost:
            lose()
        case .refused:
            switch host.map({ $0.endReason ?? .failed }) ?? (failure == nil ? .failed : .serverShutdown) {
            // It goes on in the next life.
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
        LifeEnd(session: session).lose()
        release(as: .serverShutdown, .lostSession)
    }
}
