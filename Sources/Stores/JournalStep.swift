package import Sessions

/// What whoever runs a journal has to do next.
package enum JournalStep: Sendable {
    /// Call the store, and give the answer to `Journal.take(_:)`.
    case call(JournalCall)
    /// Wait for `Journal.retryDelay`, since the store can't be reached.
    case pause
    /// Wait until `wake` is called, or for `Journal.renewalInterval`, after which `Journal.renew()` is called.
    case wait
    /// Nothing, ever.
    case end
}

/// A call of a journal's store. There is one at a time.
package enum JournalCall: Sendable {
    case commit([SceneCommit])
    case load(StoreQuery)
    case release(scene: String)
    case leave
    case sweep(unusedFor: Duration)
    case renew
    case close

    /// Returns when the store has done its work.
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
        case .sweep(let time):
            return .swept(Result { () throws(StoreError) in try store.removeScenes(unusedFor: time) })
        case .renew:
            do throws(StoreError) { try store.renew() } catch { return .renewed(error) }
            return .renewed(nil)
        // Where it fails, the scene stays this server's until that is asked for it, or ends.
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
        case .session(let key): return try store.scene(withSessionKey: key)
        case .opening(let once):
            guard let key = try store.rootKey(ofOpening: once) else { return nil }
            return try store.scene(withSessionKey: key)
        }
    }
}

/// What a store has answered to a `JournalCall`.
package struct JournalAnswer: Sendable {
    enum Content: Sendable {
        case outcomes(Result<[StoreOutcome], StoreError>)
        case scene(Result<StoredScene?, StoreError>)
        case swept(Result<StoreSweep, StoreError>)
        case renewed(StoreError?)
        case done
    }

    let content: Content
    /// How long it took.
    let time: Duration
    /// Scenes may have changed since the answer before.
    let lapse: StoreLapse?
}
