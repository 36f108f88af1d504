import Synchronization

/// The keys by which a session is looked at and nothing else.
///
/// A session has one such key at most, made when somebody asks for it. What is on or over the session is told to its readers under
/// keys that begin with it, as the children's own keys allow everything. Such a key isn't stored: it ends in a digest of the child's
/// own key, by which the child is found among the few that there are.
package enum ReadKey {
    /// Characters of base64url. Of the 131 bits of the child's key they tell no more than 48.
    private static let digestCount = 8

    /// Returns the key by which readers of a session know what is on or over it.
    package static func ofChild(_ key: String, under readKey: String) -> String { readKey + digest(of: key) }

    /// Returns the reading key with which a child's begins; nil where the key is too short for one.
    package static func beginning(of childKey: String) -> String? {
        childKey.utf8.count > digestCount ? String(childKey.dropLast(digestCount)) : nil
    }

    /// FNV-1a, of which the upper 48 bits are used.
    private static func digest(of key: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let hash = key.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String((0..<digestCount).map { alphabet[Int(hash >> (58 - 6 * UInt64($0)) & 0x3F)] })
    }
}

extension Session {
    /// The key for readers; nil where nobody has asked for one.
    package var readKey: String? { state.withLock { $0.readKey } }

    /// Returns the key for readers, which is made where there is none.
    ///
    /// - Parameter make: makes a key of 128 random bits or more.
    package func makeReadKey(_ make: () -> String) -> String {
        if let readKey { return readKey }
        let new = make()
        return state.withLock { state in
            if let key = state.readKey { return key }
            state.readKey = new
            return new
        }
    }

    /// Stores the key for readers, so that a later life of the session has it, too.
    ///
    /// - Parameter then: called once, on any thread: at once where the session isn't durable.
    package func storeReadKey(then: @escaping StoreCompletion) {
        guard let storage, let readKey else { return then(.stored) }
        storage.committer.store(.setReadKey(session: key, key: readKey), then: then)
    }

    /// Returns the session that a reader of this one knows by a child's key; nil where it isn't on or over this one any more.
    package func child(withReadKey childKey: String) -> Session? {
        guard let readKey else { return nil }
        return scene?.standing(on: self).first { $0 !== self && ReadKey.ofChild($0.key, under: readKey) == childKey }
    }

    /// Returns the reading key that a client has attached with.
    ///
    /// - Parameter key: a key by which the client has found this session.
    /// - Returns: nil where the key is the session's own, which allows everything.
    package func readKey(in key: String) -> String? {
        if key == self.key { return nil }
        return key == readKey ? key : ReadKey.beginning(of: key) ?? key
    }
}
