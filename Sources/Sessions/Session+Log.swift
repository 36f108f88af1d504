import Synchronization

extension Session {
    /// Numbers an event of the view model and tells the views.
    ///
    /// - Parameter key: an earlier event with the same key becomes needless; nil for one that every view must see.
    func append(_ payload: [UInt8], key: String? = nil) {
        let turn = context.turn()
        state.withLock({ $0.append(.event(payload), key: key, turn: turn) }).tell()
    }

    /// Numbers a change of what this session hosts, among its events. The views aren't told yet, so this may be called under
    /// a lock.
    ///
    /// - Returns: whom to tell, once, with no lock held.
    func append(_ change: NavigationChange) -> [SessionState.News] {
        let turn = context.turn()
        return Array(state.withLock { $0.append(.navigation(change), turn: turn) })
    }
}
