import Synchronization

/// The part of a durable session that has to do with its store. Other sessions have none, which costs them a word.
package final class SessionStorage: Sendable {
    package let header: StoredSession.Header
    /// What is stored of the scene; nil unless the session is its root.
    package let sceneHeader: StoredScene.Header?
    let committer: SceneCommitter
    /// The session as it was stored; nil in its first life.
    package let restored: StoredTurn?
    /// The epochs of the session, with that of this life.
    let epochs: SessionEpochs
    /// The key for readers that an earlier life has given; nil where none has.
    let readKey: String?

    package init(
        header: StoredSession.Header, sceneHeader: StoredScene.Header?, committer: SceneCommitter,
        restored: StoredTurn? = nil, epochs: SessionEpochs = SessionEpochs(), readKey: String? = nil
    ) {
        self.header = header
        self.sceneHeader = sceneHeader
        self.committer = committer
        self.restored = restored
        self.epochs = epochs
        self.readKey = readKey
    }

    var withoutEntries: SessionStorage {
        var restored = restored
        restored?.entries = []
        return SessionStorage(
            header: header, sceneHeader: sceneHeader, committer: committer, restored: restored, epochs: epochs,
            readKey: readKey)
    }

    /// Why nothing can be stored now.
    var failure: SessionError? {
        committer.journal.failure.map { .storeUnavailable($0.reason) }
    }

    /// What this life begins with: the restored turn, or that of a new session.
    var firstTurn: StoredTurn {
        restored
            ?? StoredTurn(
                session: header.key, newest: 0, lost: 0, hasAllEvents: true, isStarted: false, savedVersion: 0)
    }
}

/// A durable session and its store.
extension Session {
    package var isDurable: Bool { storage != nil }

    /// Whether the session began in an earlier life.
    package var isRestored: Bool { storage?.restored != nil }

    /// The epochs that the session's numbers belong to.
    package var epochs: SessionEpochs { storage?.epochs ?? SessionEpochs() }

    /// Whether the session has left memory, or is about to, and is in the store.
    package var hasLeftMemory: Bool { state.withLock { $0.kept?.staysStored == true } }

    /// Whether the session has ended and its end isn't stored yet, so that a later life would still have it.
    package var isEndUntold: Bool { state.withLock { $0.isOver && $0.feed.holdsEnd } }
}
