/// Everything about a session that changes, and the rules by which it does. Pure: each function says what its `Session`,
/// which guards it, must do next.
struct SessionState {
    /// One attachment of a client.
    struct AttachedView {
        let viewer: any SessionViewer
        /// The view's number on its connection.
        let number: Int
        let client: String?
        var cursor: ViewCursor
        /// Set when this view was ended and the session goes on.
        var end: EndReason?
    }

    /// Tells a viewer that there is something for one of its views.
    struct News {
        let viewer: any SessionViewer
        let view: Int

        func tell() { viewer.sessionHasNews(for: view) }
    }

    private let limits: Limits
    private(set) var log: SessionLog
    var queue = HandlerQueue()
    var clients = ClientNumbers()
    private(set) var views: [Int: AttachedView] = [:]
    private var lastView = 0
    private(set) var end: EndReason?
    /// Ends the session when nobody comes back to it.
    var expiry: Task<Void, Never>?

    init(limits: Limits) {
        self.limits = limits
        log = SessionLog(maximumCount: limits.replayEvents, maximumBytes: limits.replayBytes)
    }

    mutating func append(_ payload: [UInt8], turn: UInt64) -> [News] {
        guard end == nil else { return [] }
        // Looked at before the event is added, so that one large event alone never ends a view that reads.
        for (id, view) in views where view.cursor.waitingBytes(in: log) > limits.viewBytes {
            views[id]?.end = .overflow
        }
        log.append(payload, turn: turn)
        trim()
        return news()
    }

    /// Adds a view that has seen everything up to `number`.
    mutating func attach(_ viewer: any SessionViewer, number: Int, client: String?, after seen: Int) -> Int {
        lastView += 1
        views[lastView] = AttachedView(
            viewer: viewer, number: number, client: client, cursor: ViewCursor(after: seen, in: log))
        if let client { clients.add(client) }
        return lastView
    }

    /// False when the view was gone already.
    mutating func detach(_ id: Int) -> Bool {
        guard views.removeValue(forKey: id) != nil else { return false }
        trim()
        return true
    }

    /// The events for a view, at most about `maximumBytes` of them but at least one; without `last` also its end.
    mutating func take(_ id: Int, upTo last: Int?, maximumBytes: Int) -> SessionNews {
        guard var view = views[id] else { return SessionNews() }
        if let end = view.end {
            guard last == nil else { return SessionNews() }
            views[id] = nil
            trim()
            return SessionNews(end: end)
        }
        var news = SessionNews()
        var bytes = 0
        while news.events.isEmpty || bytes < maximumBytes {
            let before = view.cursor.number
            guard let entry = view.cursor.next(upTo: last ?? .max, in: log) else { break }
            bytes += entry.payload.count
            news.events.append(
                SessionNews.Event(
                    number: entry.number,
                    payload: entry.payload,
                    after: before == entry.number - 1 ? nil : before,
                    isFollowedAtOnce: log.isFollowedAtOnce(entry)))
        }
        news.hasMore = view.cursor.number < log.newest
        view.cursor.isTold = news.hasMore
        views[id] = view
        if !news.hasMore, last == nil { news.end = end }
        trim()
        return news
    }

    /// Ends the session; nil when it had ended before.
    mutating func end(_ reason: EndReason) -> [News]? {
        guard end == nil else { return nil }
        end = reason
        expiry?.cancel()
        expiry = nil
        return news()
    }

    /// Those that don't know yet that there is something for them.
    private mutating func news() -> [News] {
        var news: [News] = []
        for (id, view) in views where !view.cursor.isTold {
            views[id]?.cursor.isTold = true
            news.append(News(viewer: view.viewer, view: view.number))
        }
        return news
    }

    /// Nobody holds a view, and nothing ends the session yet.
    var isAbandoned: Bool { views.isEmpty && end == nil && expiry == nil }

    private mutating func trim() {
        var seenByAll = log.newest
        for view in views.values where view.end == nil { seenByAll = min(seenByAll, view.cursor.number) }
        log.trim(seenByAll: seenByAll)
    }
}
