import Sessions
import Synchronization

/// The sessions that are found by keys with which a client only looks.
///
/// Any thread may call it. Its lock is never held while a session is called.
final class ReadKeys: Sendable {
    private let sessions = Mutex<[String: Session]>([:])

    /// Returns the session that readers know by this key: one of which the key was given, or what is on or over it.
    func session(withKey key: String) -> Session? {
        let (found, host) = sessions.withLock { sessions -> (Session?, Session?) in
            if sessions.isEmpty { return (nil, nil) }
            return (sessions[key], ReadKey.beginning(of: key).flatMap { sessions[$0] })
        }
        return found ?? host?.child(withReadKey: key)
    }

    /// Gives out the key of a session, by which it is found from now on.
    ///
    /// - Parameters:
    ///   - make: makes a key of 128 random bits or more.
    ///   - then: called once, on any thread, with the key, when it is stored or never will be.
    func give(
        of session: Session, _ make: () -> String, then: @escaping @Sendable (String, StoreOutcome) -> Void
    ) {
        let key = session.makeReadKey(make)
        add(session)
        // It may have ended meanwhile.
        if session.hasEnded { forget(session) }
        session.storeReadKey { then(key, $0) }
    }

    /// Adds a session, where it has a key for readers.
    func add(_ session: Session) {
        guard let key = session.readKey else { return }
        sessions.withLock { $0[key] = session }
    }

    func forget(_ session: Session) {
        guard let key = session.readKey else { return }
        sessions.withLock { sessions in
            // A stored session that was made again may have this key by now.
            if sessions[key] === session { sessions[key] = nil }
        }
    }
}
