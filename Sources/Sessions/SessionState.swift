/// Everything about a session that changes, and the rules by which it does. Pure: each function says what its `Session`,
/// which guards it, must do next.
struct SessionState {
    /// One attachment of a client.
    struct AttachedView {
        let viewer: any SessionViewer
        /// The view's number on its connection.
        let number: Int
        let client: String?
        /// Nil while its snapshot is being made: it isn't told of anything, and nothing is kept for it.
        var cursor: ViewCursor?
        /// Set until it is answered, where the answer has to wait.
        var arrival: Arrival?
        /// Set when this view was ended and the session goes on.
        var end: EndReason?
    }

    /// A view that attaches and waits for a snapshot. Whoever takes it out of the state answers it.
    struct Arrival {
        let answer: @Sendable (Result<Session.Attachment, SessionError>) -> Void
        /// Makes the snapshot; set as soon as it is known.
        var task: Task<Void, Never>?

        func fail(_ error: SessionError) {
            task?.cancel()
            answer(.failure(error))
        }
    }

    /// Tells a viewer that there is something for one of its views, or that the view comes too late.
    struct News {
        let viewer: any SessionViewer
        let view: Int
        var late: Arrival?

        func tell() {
            if let late { late.fail(.ended) } else { viewer.sessionHasNews(for: view) }
        }
    }

    private let limits: Limits
    private(set) var log: SessionLog
    /// What stands on this session and over it, by all changes of the log.
    private(set) var navigation = HostedNavigation()
    var queue = HandlerQueue()
    var clients = ClientNumbers()
    private(set) var views: [Int: AttachedView] = [:]
    private var lastView = 0
    private(set) var end: EndReason?
    /// It was taken off the screen by a handler of its own, and ends for this reason as soon as that returns.
    var leaving: EndReason?
    /// Its view model is made and started, or will be.
    var isOpened = false
    /// Ends the session when nobody comes back to it.
    var expiry: Task<Void, Never>?
    /// When its last view left, by the session's time.
    var leavingTime: Duration?

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
        changeViews { [limits] in
            if let cursor = $0.cursor, cursor.waitingBytes > limits.viewBytes { $0.end = .overflow }
        }
        log.append(content, key: key, turn: turn)
        if case .navigation(let change) = content { navigation.apply(change) }
        let bytes = content.bytes
        changeViews { $0.cursor?.add(bytes) }
        trim()
        return news()
    }

    /// Adds a view that has seen everything up to `seen`, or one that waits for a snapshot.
    mutating func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, after seen: Int?, arrival: Arrival? = nil
    ) -> Int {
        lastView += 1
        views[lastView] = AttachedView(
            viewer: viewer, number: number, client: client, cursor: seen.map { ViewCursor(after: $0, in: log) },
            arrival: arrival)
        if let client { clients.add(client) }
        expiry?.cancel()
        expiry = nil
        return lastView
    }

    /// What stood on this session and over it when `number` was the newest; what came after must be kept.
    func navigation(at number: Int) -> HostedNavigation {
        var navigation = navigation
        for change in log.changes(after: number).reversed() { navigation.undo(change) }
        return navigation
    }

    /// Notes what makes a view's snapshot. False when the view doesn't wait for it any more.
    mutating func note(_ task: Task<Void, Never>, of id: Int) -> Bool {
        guard views[id]?.arrival != nil else { return false }
        views[id]?.arrival?.task = task
        return true
    }

    /// Ends a view's wait: from here on it gets what comes after the newest number.
    mutating func place(_ id: Int) -> (arrival: Arrival, client: String?)? {
        guard let view = views[id], let arrival = view.arrival else { return nil }
        views[id]?.arrival = nil
        views[id]?.cursor = ViewCursor(after: log.newest, in: log)
        return (arrival, view.client)
    }

    /// Nil when the view was gone already.
    mutating func detach(_ id: Int) -> AttachedView? {
        guard let view = views.removeValue(forKey: id) else { return nil }
        trim()
        return view
    }

    /// The events for a view, at most about `maximumBytes` of them but at least one; without `last` also its end.
    mutating func take(_ id: Int, upTo last: Int?, maximumBytes: Int) -> SessionNews {
        guard let view = views[id] else { return SessionNews() }
        if let end = view.end {
            guard last == nil else { return SessionNews() }
            views[id] = nil
            trim()
            return SessionNews(end: end)
        }
        var news = SessionNews()
        guard var cursor = view.cursor else { return news }
        var bytes = 0
        while news.events.isEmpty || bytes < maximumBytes {
            let before = cursor.number
            guard let entry = cursor.next(upTo: last ?? .max, in: log) else { break }
            bytes += entry.content.bytes
            news.events.append(
                SessionNews.Event(
                    number: entry.number,
                    content: entry.content,
                    after: before == entry.number - 1 ? nil : before,
                    isFollowedAtOnce: log.isFollowedAtOnce(entry)))
        }
        news.hasMore = cursor.number < log.newest
        cursor.isTold = news.hasMore
        views[id]?.cursor = cursor
        news.isAll = !news.hasMore && end == nil
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
        let late = views.filter { $0.value.arrival != nil }
        for id in late.keys { views[id] = nil }
        return late.values.map { News(viewer: $0.viewer, view: $0.number, late: $0.arrival) } + news()
    }

    /// Those that don't know yet that there is something for them.
    private mutating func news() -> [News] {
        var news: [News] = []
        changeViews { view in
            guard view.cursor?.isTold == false else { return }
            view.cursor?.isTold = true
            news.append(News(viewer: view.viewer, view: view.number))
        }
        return news
    }

    var hadViews: Bool { lastView > 0 }

    /// Nobody holds a view, and nothing ends the session yet.
    var isAbandoned: Bool { views.isEmpty && end == nil && expiry == nil }

    /// Lets go of what no view needs any more.
    private mutating func trim() {
        dropSuperseded()
        var seenByAll = log.newest
        for view in views.values where view.end == nil {
            if let cursor = view.cursor { seenByAll = min(seenByAll, cursor.number) }
        }
        log.trim(seenByAll: seenByAll)
    }

    /// Superseded entries stay for the views that keep up alone. A view may fall behind, and so need them no more, by each
    /// entry that is appended, and have seen them by each that it takes.
    private mutating func dropSuperseded() {
        guard log.hasSuperseded else { return }
        var seen = log.newest
        for view in views.values where view.end == nil {
            if let cursor = view.cursor, !cursor.isBehind { seen = min(seen, cursor.number) }
        }
        while let entry = log.dropSuperseded(upTo: seen) {
            changeViews { $0.cursor?.didDrop(entry) }
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
