package import Sessions

/// The next step of whoever runs a journal.
package enum JournalStep: Sendable {
    /// Perform this call of the store, and give the answer to `Journal.take(_:)`.
    case call(JournalCall)
    /// Wait for `Journal.retryDelay`, since the store can't be reached.
    case pause
    /// Wait until `wake` is called, at most for `Journal.renewalInterval`, after which `Journal.renew()` is called.
    case wait
    /// The journal has ended: there are no more steps.
    case end
}

/// A call of a journal's store. Only one is under way at a time.
package enum JournalCall: Sendable {
    case commit([SceneCommit])
    case load(StoreQuery)
    case list(SceneFilter, from: Int)
    case release(scene: String)
    case leave
    case sweep(unusedFor: Duration)
    case renew
    case close

    /// Calls the store, and returns when it has done its work.
    package func perform(on store: any SessionStore) -> JournalAnswer {
        let begin = ContinuousClock.now
        let content = content(of: store)
        return JournalAnswer(content: content, time: ContinuousClock.now - begin, lapse: store.takeLapse())
    }

    private func content(of store: any SessionStore) -> JournalAnswer.Content {
        switch self {
        case .commit(let commits):
            return .outcomes(Result { () throws(StoreError) in try store.commit(commits) })
        case .load(let query):
            return .scene(Result { () throws(StoreError) in try load(query, from: store) })
        case .list(let filter, let place):
            return .listed(Result { () throws(StoreError) in try store.scenes(for: filter, from: place) })
        case .sweep(let time):
            return .swept(Result { () throws(StoreError) in try store.removeScenes(unusedFor: time) })
        case .renew:
            do throws(StoreError) { try store.renew() } catch { return .renewed(error) }
            return .renewed(nil)
        // Where this fails, the scene stays this server's until another server asks for it, or this server ends.
        case .release(let scene): try? store.release(scene)
        case .leave: try? store.leave()
        case .close: store.close()
        }
        return .done
    }

    private func load(_ query: StoreQuery, from store: any SessionStore) throws(StoreError) -> StoredScene? {
        switch query {
        case .owner(let scene):
            try store.checkOwner(of: scene)
            return nil
        case .session(let key):
            if let scene = try store.scene(withSessionKey: key) { return scene }
            // What is on or over a session is known to its readers by a key that begins with theirs.
            return try ReadKey.beginning(of: key).flatMap { key throws(StoreError) in
                try store.scene(withSessionKey: key)
            }
        case .opening(let once):
            guard let key = try store.rootKey(ofOpening: once) else { return nil }
            return try store.scene(withSessionKey: key)
        }
    }
}

/// The answer of a store to a `JournalCall`.
package struct JournalAnswer: Sendable {
    enum Content: Sendable {
        case outcomes(Result<[StoreOutcome], StoreError>)
        case scene(Result<StoredScene?, StoreError>)
        case listed(Result<SceneListing, StoreError>)
        case swept(Result<StoreSweep, StoreError>)
        case renewed(StoreError?)
        case done
    }

    let content: Content
    /// How long the call took.
    let time: Duration
    /// How scenes may have changed since the answer before; nil where they haven't.
    let lapse: StoreLapse?
}
