/// Everything about a session that changes, and the rules by which it does. Pure: each function says what its `Session`,
/// which guards it, must do next.
struct SessionState {
    /// One attachment of a client.
    struct AttachedView {
        /// Names it in its session.
        let id: Int
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
    final class Arrival: Sendable {
        let answer: @Sendable (Result<Session.Attachment, SessionError>) -> Void
        /// Makes the snapshot; nil as long as it isn't known.
        let task: Task<Void, Never>?

        init(
            answer: @escaping @Sendable (Result<Session.Attachment, SessionError>) -> Void,
            task: Task<Void, Never>? = nil
        ) {
            self.answer = answer
            self.task = task
        }

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

    /// In an object of its own, since few sessions show anything.
    private final class Shown: Sendable {
        let navigation: HostedNavigation

        init(_ navigation: HostedNavigation) {
            self.navigation = navigation
        }
    }

    private let limits: SharedLimits
    private(set) var log: SessionLog
    /// What stands on this session and over it, by all changes of the log; nil before the first.
    private var shown: Shown?
    var queue = HandlerQueue()
    var handlers = HandlerTask()
    /// The view model is there.
    var isBound = false
    var clients = ClientNumbers()
    private(set) var views = AttachedViews()
    private var lastView = 0
    /// Views for which something waits.
    private var waitingViews = 0
    private(set) var end: EndReason?
    /// It was taken off the screen by a handler of its own, and ends for this reason as soon as that returns.
    var leaving: EndReason?
    /// Its view model is made and started, or will be.
    var isOpened = false
    /// Ends the session when nobody comes back to it.
    var expiry: Task<Void, Never>?
    /// When its last view left, by the session's time.
    var leavingTime: Duration?

    init(limits: SharedLimits) {
        self.limits = limits
        log = SessionLog(maximumCount: limits.values.replayEvents, maximumBytes: limits.values.replayBytes)
    }

    mutating func append(_ content: SessionLog.Content, key: String? = nil, turn: UInt64) -> NewsList {
        guard end == nil else { return NewsList() }
        if let key {
            log.supersede(key)
            dropSuperseded()
        }
        log.append(content, key: key, turn: stretch(of: turn))
        if case .navigation(let change) = content { show(change) }
        let news = tellViews(of: content.bytes)
        trim()
        return news
    }

    /// Handlers may follow each other in one turn, but an answer stands between what they send.
    private func stretch(of turn: UInt64) -> UInt64 {
        turn == 0 ? 0 : turn << 20 | UInt64(truncatingIfNeeded: queue.startedCount) & 0xF_FFFF
    }

    /// One pass over the views, since there may be a thousand.
    private mutating func tellViews(of bytes: Int) -> NewsList {
        let viewBytes = limits.values.viewBytes
        var news = NewsList()
        var waiting = waitingViews
        views.changeAll { view in
            guard view.cursor != nil else { return }
            // Looked at before the event is added, so that one large event alone never ends a view that reads.
            if view.cursor?.isBeyond(viewBytes) == true { view.end = .overflow }
            if view.cursor?.add(bytes) == true { waiting += 1 }
            if view.cursor?.tell() == true { news.append(News(viewer: view.viewer, view: view.number)) }
        }
        waitingViews = waiting
        return news
    }

    /// Adds a view that has seen everything up to `seen`, or one that waits for a snapshot.
    mutating func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, after seen: Int?, arrival: Arrival? = nil
    ) -> Int {
        lastView += 1
        let cursor = seen.map { ViewCursor(after: $0, in: log) }
        if cursor?.isWaiting == true { waitingViews += 1 }
        views.append(
            AttachedView(
                id: lastView, viewer: viewer, number: number, client: client, cursor: cursor, arrival: arrival))
        if let client { clients.add(client) }
        expiry?.cancel()
        expiry = nil
        return lastView
    }

    /// What stands on this session and over it now.
    var navigation: HostedNavigation { shown?.navigation ?? HostedNavigation() }

    private mutating func show(_ change: NavigationChange) {
        var navigation = navigation
        navigation.apply(change)
        shown = Shown(navigation)
    }

    /// What stood on this session and over it when `number` was the newest; what came after must be kept.
    func navigation(at number: Int) -> HostedNavigation {
        guard var navigation = shown?.navigation else { return HostedNavigation() }
        for change in log.changes(after: number).reversed() { navigation.undo(change) }
        return navigation
    }

    /// Notes what makes a view's snapshot. False when the view doesn't wait for it any more.
    mutating func note(_ task: Task<Void, Never>, of id: Int) -> Bool {
        guard let arrival = views[id]?.arrival else { return false }
        views.change(id) { $0.arrival = Arrival(answer: arrival.answer, task: task) }
        return true
    }

    /// Ends a view's wait: from here on it gets what comes after the newest number.
    mutating func place(_ id: Int) -> (arrival: Arrival, client: String?)? {
        guard let view = views[id], let arrival = view.arrival else { return nil }
        let cursor = ViewCursor(after: log.newest, in: log)
        views.change(id) {
            $0.arrival = nil
            $0.cursor = cursor
        }
        return (arrival, view.client)
    }

    /// Nil when the view was gone already.
    mutating func detach(_ id: Int) -> AttachedView? {
        guard let view = remove(id) else { return nil }
        trim()
        return view
    }

    private mutating func remove(_ id: Int) -> AttachedView? {
        guard let view = views.remove(id) else { return nil }
        if view.cursor?.isWaiting == true { waitingViews -= 1 }
        return view
    }

    /// The events for a view, at most about `maximumBytes` of them but at least one; without `last` also its end.
    mutating func take(_ id: Int, upTo last: Int?, maximumBytes: Int) -> SessionNews {
        guard let index = views.index(of: id) else { return SessionNews() }
        if let end = views[at: index].end {
            guard last == nil else { return SessionNews() }
            _ = detach(id)
            return SessionNews(end: end)
        }
        guard let before = views[at: index].cursor,
            var news = views[at: index].cursor?.take(upTo: last, maximumBytes: maximumBytes, from: log)
        else { return SessionNews() }
        news.isAll = !news.hasMore && end == nil
        if !news.hasMore, last == nil { news.end = end }
        if before.isWaiting, views[at: index].cursor?.isWaiting == false { waitingViews -= 1 }
        // Not after each take: a thousand views would look a thousand times at a thousand.
        if waitingViews == 0 {
            trim()
        } else if log.isBeyondBounds, log.isFirst(after: before.number) {
            log.trim(seenByAll: seen(byThose: { _ in true }))
        }
        return news
    }

    /// Ends the session; nil when it had ended before.
    mutating func end(_ reason: EndReason) -> [News]? {
        guard end == nil else { return nil }
        end = reason
        expiry?.cancel()
        expiry = nil
        let late = views.all.filter { $0.arrival != nil }
        for view in late { _ = remove(view.id) }
        var news = late.map { News(viewer: $0.viewer, view: $0.number, late: $0.arrival) }
        views.changeAll { view in
            if view.cursor?.tell() == true { news.append(News(viewer: view.viewer, view: view.number)) }
        }
        return news
    }

    var hadViews: Bool { lastView > 0 }

    /// Nobody holds a view, and nothing ends the session yet.
    var isAbandoned: Bool { views.isEmpty && end == nil && expiry == nil }

    /// Lets go of what no view needs any more.
    private mutating func trim() {
        dropSuperseded()
        if log.isBeyondBounds { log.trim(seenByAll: seen(byThose: { _ in true })) }
    }

    /// Superseded entries stay for the views that keep up alone. A view may fall behind, and so need them no more, by each
    /// entry that is appended, and have seen them by each that it takes.
    private mutating func dropSuperseded() {
        guard log.hasSuperseded else { return }
        let seen = seen(byThose: { !$0.isBehind })
        while let entry = log.dropSuperseded(upTo: seen) {
            guard waitingViews > 0 else { continue }
            var caughtUp = 0
            views.changeAll { view in
                if view.cursor?.didDrop(entry) == true { caughtUp += 1 }
            }
            waitingViews -= caughtUp
        }
    }

    /// The newest number that all views of a kind have seen.
    private func seen(byThose isCounted: (ViewCursor) -> Bool) -> Int {
        var seen = log.newest
        guard waitingViews > 0 else { return seen }
        views.forEach { view in
            if view.end == nil, let cursor = view.cursor, isCounted(cursor) { seen = min(seen, cursor.number) }
        }
        return seen
    }
}
