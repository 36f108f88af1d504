import Synchronization

/// The part of a durable session that has to do with its store; nil for others, which it costs a word.
package final class SessionStorage: Sendable {
    package let header: StoredSession.Header
    /// What is stored of the scene; nil but for the root.
    package let sceneHeader: StoredScene.Header?
    let keeper: SceneKeeper
    /// The session as it was stored; nil in its first life.
    package let restored: StoredTurn?
    /// With that of this life.
    let epochs: SessionEpochs

    package init(
        header: StoredSession.Header, sceneHeader: StoredScene.Header?, keeper: SceneKeeper,
        restored: StoredTurn? = nil, epochs: SessionEpochs = SessionEpochs()
    ) {
        self.header = header
        self.sceneHeader = sceneHeader
        self.keeper = keeper
        self.restored = restored
        self.epochs = epochs
    }

    var withoutEntries: SessionStorage {
        var restored = restored
        restored?.entries = []
        return SessionStorage(
            header: header, sceneHeader: sceneHeader, keeper: keeper, restored: restored, epochs: epochs)
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

    /// It began in an earlier life.
    package var isRestored: Bool { storage?.restored != nil }

    /// The histories that its numbers belong to.
    package var epochs: SessionEpochs { storage?.epochs ?? SessionEpochs() }

    /// It has left memory, or is about to, and is in the store.
    package var hasLeftMemory: Bool { state.withLock { $0.kept?.staysStored == true } }

    /// It has ended, and a later life has it all the same as long as that isn't stored.
    package var isEndUntold: Bool { state.withLock { $0.isOver && $0.feed.holdsEnd } }
}
