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

    mutating func append(_ content: SessionLog.Content, key: String? = nil, turn: UInt64) -> [News] {
        guard end == nil else { return [] }
        if let key {
            log.supersede(key)
            dropSuperseded()
        }
        // Looked at before the event is added, so that one large event alone never ends a view that reads.
        changeViews { [limits] in if $0.cursor.waitingBytes > limits.viewBytes { $0.end = .overflow } }
        log.append(content, key: key, turn: turn)
        let bytes = content.bytes
        changeViews { $0.cursor.add(bytes) }
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
            bytes += entry.content.bytes
            news.events.append(
                SessionNews.Event(
                    number: entry.number,
                    content: entry.content,
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
        changeViews { view in
            guard !view.cursor.isTold else { return }
            view.cursor.isTold = true
            news.append(News(viewer: view.viewer, view: view.number))
        }
        return news
    }

    /// Nobody holds a view, and nothing ends the session yet.
    var isAbandoned: Bool { views.isEmpty && end == nil && expiry == nil }

    /// Lets go of what no view needs any more.
    private mutating func trim() {
        dropSuperseded()
        var seenByAll = log.newest
        for view in views.values where view.end == nil { seenByAll = min(seenByAll, view.cursor.number) }
        log.trim(seenByAll: seenByAll)
    }

    /// Superseded entries stay for the views that keep up alone. A view may fall behind, and so need them no more, by each
    /// entry that is appended, and have seen them by each that it takes.
    private mutating func dropSuperseded() {
        guard log.hasSuperseded else { return }
        var seen = log.newest
        for view in views.values where view.end == nil && !view.cursor.isBehind { seen = min(seen, view.cursor.number) }
        while let entry = log.dropSuperseded(upTo: seen) {
            changeViews { $0.cursor.didDrop(entry) }
        }
    }

    private mutating func changeViews(_ change: (inout AttachedView) -> Void) {
        var index = views.startIndex
        while index != views.endIndex {
            change(&views.values[index])
            views.formIndex(after: &index)
        }
    }
}
