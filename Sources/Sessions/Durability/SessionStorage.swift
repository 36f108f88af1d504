import Synchronization

/// The part of a durable session that has to do with its store; nil for others.
package struct SessionStorage: Sendable {
    package let header: StoredSession.Header
    /// Of the root alone.
    package let sceneHeader: StoredScene.Header?
    let keeper: SceneKeeper
    /// The session as it was stored; nil in its first life.
    package let restored: StoredTurn?

    package init(
        header: StoredSession.Header, sceneHeader: StoredScene.Header?, keeper: SceneKeeper, restored: StoredTurn? = nil
    ) {
        self.header = header
        self.sceneHeader = sceneHeader
        self.keeper = keeper
        self.restored = restored
    }

    var withoutEntries: SessionStorage {
        var restored = restored
        restored?.entries = []
        return SessionStorage(header: header, sceneHeader: sceneHeader, keeper: keeper, restored: restored)
    }

    /// Why nothing can be stored now.
    var failure: SessionError? {
        keeper.journal.failure.map { .storeUnavailable($0.reason) }
    }

    /// Before its first turn.
    var firstTurn: StoredTurn {
        restored
            ?? StoredTurn(
                session: header.key, newest: 0, lost: 0, hasAllEvents: true, isStarted: false, savedVersion: 0)
    }
}

/// A durable session and its store.
extension Session {
    package var isDurable: Bool { storage != nil }

    /// It has left memory, or is about to, and is in the store.
    package var hasLeftMemory: Bool { state.withLock { $0.kept?.staysStored == true } }

    /// Ends the session in memory. It stays in the store as it was stored last, and goes on when a view is attached.
    package func endLife(_ reason: EndReason) {
        // Before it is seen to have left: who comes then has the scene read after this.
        if !isChild, reason != .serverShutdown { storage?.keeper.release() }
        state.withLock { $0.kept?.staysStored = true }
        end(reason)
    }

    /// Ends the session in memory, since it goes on elsewhere. Nothing more of it is told or answered: its viewers have their
    /// clients come back.
    func lose() {
        let views = state.withLock { state in
            state.kept?.staysStored = true
            state.isLost = true
            defer { state.feed.forgetViews() }
            return state.feed.views.elements
        }
        for view in views { view.viewer.sessionIsLost(view.number) }
        end(.serverShutdown)
    }
}
