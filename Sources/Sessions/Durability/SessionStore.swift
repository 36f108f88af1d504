/// The place where durable sessions are kept: an engine such as SQLite, behind few methods.
///
/// Several servers may share one. Each scene is on one of them at a time: on the one that made it, or that read it last.
///
/// A `SessionJournal` calls it, in one thread and one call at a time; each returns when the engine has done its work.
package protocol SessionStore: AnyObject, Sendable {
    /// How long the scenes of a server that has ended without a word stay its own; zero where they are free at once.
    var leaseTime: Duration { get }

    /// This server, as others with the same store know it; nil where a store is one server's alone.
    var holder: SceneHolder? { get }

    /// Stores all of a scene's changes or none, in order.
    ///
    /// - Parameter commits: one of each scene at most.
    /// - Returns: the outcome of each.
    /// - Throws: `StoreError`. After `unavailable` the same call is made again before any other commit of these scenes: what
    ///   is stored already isn't stored twice.
    func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome]

    /// Everything about the scene that has a session of this key, which is this server's from then on; nil where there is
    /// none. Its sessions begin a new epoch with it. A store that was opened to be read takes nothing.
    ///
    /// - Throws: `StoreError`: `held` where another server has the scene, `incomplete` where a part of it is lost.
    func scene(withSessionKey key: String) throws(StoreError) -> StoredScene?

    /// The key of the root that an opening has made; nil where it has made none.
    ///
    /// - Throws: `StoreError`.
    func rootKey(ofOpening once: String) throws(StoreError) -> String?

    /// Removes some of the scenes that nobody has used for so long, but for those that another server has. Called until all
    /// are done, with other calls in between.
    ///
    /// Only time in which a server had the store counts, and the store counts it: clocks may be wrong, or be set.
    ///
    /// - Throws: `StoreError`.
    func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep

    /// Looks whether this server still has a scene, as each commit does.
    ///
    /// - Parameter scene: the root's key.
    /// - Throws: `StoreError`: `lost` where it hasn't, `takenOver` where it hasn't even the store.
    func checkOwner(of scene: String) throws(StoreError)

    /// Gives a scene up, so that any server may have it. Does nothing where this one hasn't got it.
    ///
    /// - Parameter scene: the root's key.
    /// - Throws: `StoreError`.
    func release(_ scene: String) throws(StoreError)

    /// Says that this server is there. Called three times in a `leaseTime` or more often, except while another call lasts.
    ///
    /// - Throws: `StoreError`: `takenOver` where another server has the whole store.
    func renew() throws(StoreError)

    /// Why scenes that this server has may not be there as it left them; nil where nothing has happened since the last call.
    func takeLapse() -> StoreLapse?

    /// Gives all scenes up, each to the server that is asked for it next. What is still to be stored of those that none has
    /// taken is.
    ///
    /// - Throws: `StoreError`.
    func leave() throws(StoreError)

    /// Gives all scenes up. Nothing is asked of it any more.
    func close()
}

extension SessionStore {
    /// Nil.
    package var holder: SceneHolder? { nil }
}

/// Changes of one scene that are stored together.
package struct SceneCommit: Sendable, Equatable {
    /// The root's key.
    package let scene: String
    package let changes: [StoredChange]

    package init(scene: String, changes: [StoredChange]) {
        self.scene = scene
        self.changes = changes
    }
}

/// What has become of a commit. Each that isn't stored has a reason for people.
package enum StoreOutcome: Sendable, Equatable {
    case stored
    /// It never can be stored, by itself or with others.
    case refused(String)
    /// The scene goes on elsewhere, or without what was stored before: its life on this server is over.
    case lost(String)

    package var isStored: Bool { self == .stored }
    package var isLost: Bool { if case .lost = self { true } else { false } }
}

/// Another server, which has a scene.
package struct SceneHolder: Sendable, Equatable {
    /// Its id in the store, of this one process.
    package let server: String
    /// Where other servers reach it; nil: it advertises none.
    package let address: String?
    /// For people: "process 12 on host x".
    package let description: String

    package init(server: String, address: String?, description: String) {
        self.server = server
        self.address = address
        self.description = description
    }
}

/// A step of an expiry.
package struct StoreSweep: Sendable, Equatable {
    /// So many scenes.
    package let removed: Int
    /// Nothing is left to be removed.
    package let isDone: Bool

    package init(removed: Int, isDone: Bool) {
        self.removed = removed
        self.isDone = isDone
    }
}

/// Why a store didn't do its work. Each has a reason for people.
package enum StoreError: Error, Equatable {
    /// It can't be reached or is full: the same may work later.
    case unavailable(String)
    /// It can't be opened until somebody does something: another server has it, or this user mayn't have it.
    case inaccessible(String)
    /// Another server has taken it over: nothing of this one is stored any more.
    case takenOver(String)
    /// It can't be read, or this can't be stored, now or later.
    case unusable(String)
    /// Another server has this scene, and may give it up.
    case held(SceneHolder)
    /// This server hasn't got this scene any more.
    case lost(String)
    /// A part of this scene isn't in the store any more, so no server can have it. The rest stays there.
    case incomplete(String)

    package var reason: String {
        switch self {
        case .unavailable(let reason), .inaccessible(let reason), .takenOver(let reason), .unusable(let reason),
            .lost(let reason), .incomplete(let reason):
            reason
        case .held(let holder): "another server has this session: \(holder.description)"
        }
    }
}

/// One change of what is stored.
package enum StoredChange: Sendable, Equatable {
    case addScene(StoredScene.Header)
    /// A session that is on screen from now on. Its scene was added before.
    case addSession(StoredSession.Header)
    case turn(StoredTurn)
    /// A session has ended. Its scene goes with its root.
    case removeSession(key: String)
    /// Somebody has used the scene, at a time in seconds since 1970, which is for people: the store has its own.
    ///
    /// - Parameter ahead: it goes on to be used for so many seconds without another word. A later server may keep sessions for
    ///   less time than this one, and speak more often.
    case useScene(key: String, time: Int64, ahead: Int64 = 0)
    /// The saved states of objects that the sessions of a scene share, by name.
    case share(scene: String, values: [SavedValue])
}

/// A turn of a session: what one handler, or several events outside of handlers, have changed.
package struct StoredTurn: Sendable, Equatable {
    package let session: String
    /// The newest number, and the newest that went although no event had superseded it.
    package var newest: Int
    package var lost: Int
    /// Every event that wasn't superseded is kept.
    package var hasAllEvents: Bool
    /// The view model has been started.
    package var isStarted: Bool
    /// New ones. One with a key supersedes the one before with the same key, and numbers up to `lost` go.
    package var entries: [StoredEntry] = []
    /// The highest number of each client that is done, where it has risen, in order; 0 of one that is forgotten.
    package var clients: [ClientNumber] = []
    /// In a turn that was read: clients were forgotten, so one that isn't there may have numbered. A store notes that when it is
    /// told of one.
    package var hasForgottenClients = false
    /// Nil where they haven't changed; of one that was read, where there never were any.
    package var notes: SessionNotes?
    /// The parts of the view model's state that have changed.
    package var saved: [SavedValue] = []
    package var savedVersion: Int

    package init(session: String, newest: Int, lost: Int, hasAllEvents: Bool, isStarted: Bool, savedVersion: Int) {
        self.session = session
        self.newest = newest
        self.lost = lost
        self.hasAllEvents = hasAllEvents
        self.isStarted = isStarted
        self.savedVersion = savedVersion
    }
}

package struct ClientNumber: Sendable, Equatable {
    package let client: String
    package let number: Int

    package init(client: String, number: Int) {
        self.client = client
        self.number = number
    }
}

/// One number of a session's log.
package struct StoredEntry: Sendable, Equatable {
    package let number: Int
    /// An event with the same key supersedes it.
    package let key: String?
    package let content: SessionLog.Content

    package init(number: Int, key: String?, content: SessionLog.Content) {
        self.number = number
        self.key = key
        self.content = content
    }
}

/// A part of a state: the JSON text of a property by its name, or of a whole state under no name. One that is gone, since the
/// version that had it does no longer count, has an empty text.
package struct SavedValue: Sendable, Equatable {
    package let name: String
    package let text: [UInt8]

    package init(name: String, text: [UInt8]) {
        self.name = name
        self.text = text
    }
}

/// A session as it is stored.
package struct StoredSession: Sendable, Equatable {
    package struct Header: Sendable, Equatable {
        package let key: String
        /// The root's key.
        package let scene: String
        /// The name that its view model is registered under.
        package let viewModel: String
        /// The JSON text that the view model was made with; nil where there was none.
        package let arguments: [UInt8]?
        /// The version of these arguments.
        package let argumentsVersion: Int
        /// How it came on screen; nil for the root.
        package let shownBy: Shown?
        /// Its view model can go on in a later life. Otherwise it is only known to be on screen.
        package let isDurable: Bool

        package enum Shown: String, Sendable {
            case push, present
        }

        package init(
            key: String, scene: String, viewModel: String, arguments: [UInt8]?, argumentsVersion: Int = 1,
            shownBy: Shown? = nil, isDurable: Bool = true
        ) {
            self.key = key
            self.scene = scene
            self.viewModel = viewModel
            self.arguments = arguments
            self.argumentsVersion = argumentsVersion
            self.shownBy = shownBy
            self.isDurable = isDurable
        }
    }

    package let header: Header
    /// As of the last turn, with everything that is kept.
    package var turn: StoredTurn
    /// With that of the life that begins with this reading; none of a store that was opened to be read.
    package var epochs: SessionEpochs
    /// What the store has lost of it, for people; nil where it is whole. Only its log may be lost of one that a server reads: no
    /// event up to the newest is kept then.
    package var missing: String?

    package init(header: Header, turn: StoredTurn, epochs: SessionEpochs = SessionEpochs()) {
        self.header = header
        self.turn = turn
        self.epochs = epochs
    }
}

/// An opened session with everything on or over it, as it is stored.
package struct StoredScene: Sendable, Equatable {
    package struct Header: Sendable, Equatable {
        /// The root's.
        package let key: String
        /// The owner of its sessions, for the server's counts.
        package let owner: String
        /// The secret by which its opening can be sent again.
        package let once: String?
        /// When it was used last, in seconds since 1970, for people.
        package let used: Int64

        package init(key: String, owner: String, once: String?, used: Int64) {
            self.key = key
            self.owner = owner
            self.once = once
            self.used = used
        }
    }

    package var header: Header
    /// In the order in which they came on screen, the root first.
    package var sessions: [StoredSession]
    package var shared: [SavedValue]
    /// What the store has lost of it beside parts of its sessions, for people; nil where it is whole, as each is that a server reads.
    package var missing: String?

    package init(header: Header, sessions: [StoredSession], shared: [SavedValue]) {
        self.header = header
        self.sessions = sessions
        self.shared = shared
    }
}

/// What was noticed of a store between two calls. Each scene in memory has to be compared with it then: one in which nothing
/// happens makes no commit that would notice a difference, and its views would go on showing what isn't stored.
package enum StoreLapse: Sendable {
    /// The lease had run out, so other servers may have taken scenes of this one.
    case lease
    /// It may know less than it had acknowledged: it was started anew, another one is in its place, or another program has
    /// written to it.
    case change
}
