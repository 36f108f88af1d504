/// The place where durable sessions are kept: an engine such as SQLite, behind a few methods.
///
/// Several servers may share a store. Each scene is on one of them at a time: on the server that made it, or that read it last.
///
/// A `SessionJournal` calls the store in one thread, one call at a time. Each call returns when the engine has done its work.
package protocol SessionStore: AnyObject, Sendable {
    /// How long the scenes of a server that ended without giving them up stay its own; zero where they are free at once.
    var leaseTime: Duration { get }

    /// This server, as others with the same store know it; nil where a store is one server's alone.
    var holder: SceneHolder? { get }

    /// Stores all of a scene's changes or none, in order.
    ///
    /// - Parameter commits: at most one of each scene.
    /// - Returns: the outcome of each.
    /// - Throws: `StoreError`. After `unavailable` the same call is made again before any other commit of these scenes. Changes
    ///   that were stored by the first call aren't stored twice.
    func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome]

    /// Reads the scene that has a session of this key, or of this key for readers; nil where there is none. The scene is this server's from then on, and
    /// its sessions begin a new epoch. A store that was opened to be read takes no scene.
    ///
    /// - Throws: `StoreError`: `held` where another server has the scene, `incomplete` where a part of it is lost.
    func scene(withSessionKey key: String) throws(StoreError) -> StoredScene?

    /// Returns the key of the root that an opening has made; nil where it has made none.
    ///
    /// - Throws: `StoreError`.
    func rootKey(ofOpening once: String) throws(StoreError) -> String?

    /// Lists scenes without taking or using any. Called until all are listed, with other calls in between.
    ///
    /// - Parameters:
    ///   - filter: which scenes, and how many more.
    ///   - place: 0, or where the step before said to go on. A scene that is used meanwhile may come twice.
    /// - Throws: `StoreError`.
    func scenes(for filter: SceneFilter, from place: Int) throws(StoreError) -> SceneListing

    /// Removes some of the scenes that nobody has used for this time, except those that another server has. Called until all
    /// are removed, with other calls in between.
    ///
    /// Only time in which a server had the store counts, as the store itself counts it: clocks may be wrong, or be set.
    ///
    /// - Throws: `StoreError`.
    func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep

    /// Checks that this server still has a scene, as each commit does.
    ///
    /// - Parameter scene: the root's key.
    /// - Throws: `StoreError`: `lost` where this server no longer has the scene, `takenOver` where it no longer has the store.
    func checkOwner(of scene: String) throws(StoreError)

    /// Gives a scene up, so that any server may have it. Does nothing where this server doesn't have it.
    ///
    /// - Parameter scene: the root's key.
    /// - Throws: `StoreError`.
    func release(_ scene: String) throws(StoreError)

    /// Renews this server's lease. Called three times in a `leaseTime` or more often, except while another call lasts.
    ///
    /// - Throws: `StoreError`: `takenOver` where another server has the whole store.
    func renew() throws(StoreError)

    /// Returns why scenes that this server has may not be stored as it left them; nil where nothing has happened since the last
    /// call.
    func takeLapse() -> StoreLapse?

    /// Gives all scenes up, each to the server that is asked for it next. Commits of scenes that no other server has taken yet
    /// are still stored.
    ///
    /// - Throws: `StoreError`.
    func leave() throws(StoreError)

    /// Closes the store, and gives all scenes up. Called last.
    func close()
}

extension SessionStore {
    /// Nil: the store is this server's alone.
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

/// The outcome of a commit. Each but `stored` has a reason for people.
package enum StoreOutcome: Sendable, Equatable {
    case stored
    /// The commit can never be stored, by itself or with others.
    case refused(String)
    /// The scene goes on elsewhere, or without what was stored before: its life on this server is over.
    case lost(String)

    package var isStored: Bool { self == .stored }
    package var isLost: Bool { if case .lost = self { true } else { false } }
}

/// Another server, which has a scene.
package struct SceneHolder: Sendable, Equatable {
    /// The id in the store of that server's process.
    package let server: String
    /// The address at which other servers reach it; nil where it advertises none.
    package let address: String?
    /// A text for people: "process 12 on host x".
    package let description: String

    package init(server: String, address: String?, description: String) {
        self.server = server
        self.address = address
        self.description = description
    }
}

/// One step of removing scenes that nobody uses.
package struct StoreSweep: Sendable, Equatable {
    /// How many scenes were removed.
    package let removed: Int
    /// Whether no more scenes are left to be removed.
    package let isDone: Bool

    package init(removed: Int, isDone: Bool) {
        self.removed = removed
        self.isDone = isDone
    }
}

/// Why a store didn't do its work. Each has a reason for people.
package enum StoreError: Error, Equatable {
    /// The store can't be reached or is full. The same call may work later.
    case unavailable(String)
    /// The store can't be opened until somebody does something: another server has it, or this user isn't allowed to have it.
    case inaccessible(String)
    /// Another server has taken the store over: nothing of this one is stored any more.
    case takenOver(String)
    /// The store can't be read, or this can't be stored, now or later.
    case unusable(String)
    /// Another server has this scene, and may give it up.
    case held(SceneHolder)
    /// This server doesn't have this scene any more.
    case lost(String)
    /// A part of this scene isn't in the store any more, so no server can have the scene. The rest stays there.
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
    /// The key by which a session is found by those who only look.
    case setReadKey(session: String, key: String)
    /// A session that has ended. Its scene is removed with the root.
    case removeSession(key: String)
    /// A use of the scene, at a time in seconds since 1970. This is for people: the store has a time of its own.
    ///
    /// - Parameter ahead: for how many seconds the scene stays in use without a further change of this kind. A later server may
    ///   keep sessions for less time than this one, and note their use more often.
    case useScene(key: String, time: Int64, ahead: Int64 = 0)
    /// The saved states of objects that the sessions of a scene share, by name.
    case share(scene: String, values: [SavedValue])
}

/// A turn of a session: what one handler, or several events outside of handlers, have changed.
package struct StoredTurn: Sendable, Equatable {
    package let session: String
    /// The newest number, and the highest number (`lost`) that was dropped although no event had superseded it.
    package var newest: Int
    package var lost: Int
    /// Whether every event that wasn't superseded is kept.
    package var hasAllEvents: Bool
    /// Whether the view model has been started.
    package var isStarted: Bool
    /// The new entries. One with a key supersedes the earlier one with the same key, and entries up to `lost` are removed.
    package var entries: [StoredEntry] = []
    /// The highest number of each client up to which all events are done, where it has risen; 0 for a client that is forgotten.
    /// In order.
    package var clients: [ClientNumber] = []
    /// In a turn that was read: whether clients were forgotten, so that one which isn't there may have numbered events. A store
    /// notes that when it is told of a forgotten client.
    package var hasForgottenClients = false
    /// The notes; nil where they haven't changed. In a turn that was read, nil where there never were any.
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

package struct ClientNumber: Sendable, Equatable, Codable {
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
    /// The event's key. A later event with the same key supersedes it.
    package let key: String?
    package let content: SessionLog.Content

    package init(number: Int, key: String?, content: SessionLog.Content) {
        self.number = number
        self.key = key
        self.content = content
    }
}

/// A part of a state: the JSON text of a property by its name, or of a whole state under the empty name. A value that is to be
/// removed, as it belongs to an older version, has an empty text.
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
        /// How the session came on screen; nil for the root.
        package let shownBy: Shown?
        /// Whether the view model can go on in a later life. Otherwise the session is only known to be on screen.
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
    /// The state as of the last turn, with everything that is kept.
    package var turn: StoredTurn
    /// The epochs, with that of the life that begins with this reading; empty in a store that was opened to be read.
    package var epochs: SessionEpochs
    /// What the store has lost of the session, for people; nil where it is whole. Of a session that a server reads only the log
    /// may be lost: no event up to the newest is kept then.
    package var missing: String?
    /// The key by which it is found by those who only look; nil where it has none.
    package var readKey: String?

    package init(
        header: Header, turn: StoredTurn, epochs: SessionEpochs = SessionEpochs(), readKey: String? = nil
    ) {
        self.header = header
        self.turn = turn
        self.epochs = epochs
        self.readKey = readKey
    }
}

/// An opened session with everything on or over it, as it is stored.
package struct StoredScene: Sendable, Equatable {
    package struct Header: Sendable, Equatable {
        /// The root's key.
        package let key: String
        /// The owner of its sessions, for the server's counts.
        package let owner: String
        /// The secret by which its opening can be sent again, or the place of the session in its scope. No other scene has it.
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
    /// The sessions in the order in which they came on screen, the root first.
    package var sessions: [StoredSession]
    package var shared: [SavedValue]
    /// What the store has lost of the scene besides parts of its sessions, for people; nil where the scene is whole, as each is
    /// that a server reads.
    package var missing: String?

    package init(header: Header, sessions: [StoredSession], shared: [SavedValue]) {
        self.header = header
        self.sessions = sessions
        self.shared = shared
    }
}

/// A reason to compare each scene in memory with the store. A scene in which nothing happens makes no commit that would notice
/// a difference, and its views would go on showing what isn't stored.
package enum StoreLapse: Sendable {
    /// The lease had run out, so other servers may have taken scenes of this one.
    case lease
    /// The store may know less than it has acknowledged: it was started anew, another one is in its place, or another program
    /// has written to it.
    case change
}
