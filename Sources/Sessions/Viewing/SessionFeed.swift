import JSON
import ViewModels

/// A session's log with the views that read it: how events are numbered, kept for slow views, and handed out.
///
/// Pure rules, guarded by the `Session`; what has to be done outside the lock is returned.
struct SessionFeed {
    /// The screens on and over a session, in an object, since few sessions show anything.
    private final class Shown: Sendable {
        let navigation: HostNavigation

        init(_ navigation: HostNavigation) {
            self.navigation = navigation
        }
    }

    let limits: SharedLimits
    private(set) var log: SessionLog
    private(set) var views = SessionViews()
    var snapshots = SharedSnapshots()
    /// The screens on and over this session, by all changes in the log; nil before the first.
    private var shown: Shown?
    private var lastView = 0
    /// How many views have events waiting. Every change of a cursor must update it: if it were too small, events would be
    /// dropped that a view still needs.
    private var waitingViews = 0
    private(set) var end: EndReason?
    /// Whether views aren't told of the end yet.
    private(set) var holdsEnd = false
    /// The bytes of the log as the server counts them.
    private(set) var countedBytes = 0
    /// The newest number that views may be told, as later ones aren't stored yet; `Int.max` where the session isn't durable.
    private var told = Int.max
    /// The newest number that is stored, or on its way to the store.
    private var handed = 0

    init(limits: SharedLimits) {
        self.limits = limits
        log = SessionLog(maximumCount: limits.values.replayEvents, maximumBytes: limits.values.replayBytes)
    }

    /// Makes the feed of a durable session, as it was stored.
    init(limits: SharedLimits, stored: StoredTurn) {
        self.init(limits: limits)
        log.restore(stored)
        (told, handed) = (stored.newest, stored.newest)
    }

    /// The newest number that views may be told.
    var newest: Int { min(log.newest, told) }

    /// Notes that everything up to a number is stored, and so may be told.
    ///
    /// - Returns: the wakeups of views that didn't know of an event waiting.
    mutating func tell(upTo number: Int) -> Wakeups {
        guard number > told, end == nil || holdsEnd else { return Wakeups() }
        told = number
        log.didStore(upTo: number)
        return wakeViews { $0.isWaiting }
    }

    private mutating func wakeViews(where condition: (ViewCursor) -> Bool = { _ in true }) -> Wakeups {
        var wakeups = Wakeups()
        views.changeAll { view in
            guard let cursor = view.cursor, condition(cursor), view.cursor?.wake() == true else { return }
            wakeups.append(Wakeup(viewer: view.viewer, view: view.number))
        }
        return wakeups
    }

    /// Notes that everything numbered so far is on its way to the store.
    mutating func didHand() {
        handed = log.newest
        log.didHandUnsent()
    }

    /// Takes the screens on and over a session that is restored.
    mutating func restore(_ navigation: HostNavigation) {
        shown = Shown(navigation)
    }

    var hadViews: Bool { lastView > 0 }

    /// Numbers an event, unless the session has ended.
    ///
    /// - Returns: the wakeups of views that didn't know of an event waiting.
    mutating func append(_ content: SessionLog.Content, key: String? = nil, turn: UInt64) -> Wakeups {
        guard end == nil else { return Wakeups() }
        if let key {
            log.supersede(key, unstored: handed + 1)
            dropSuperseded()
        }
        log.append(content, key: key, turn: turn)
        if case .navigation(let change) = content { show(change) }
        let wakeups = advanceViews(by: content.bytes)
        trim()
        return wakeups
    }

    /// Notes an event with this key that couldn't be sent.
    mutating func miss(key: String?) {
        log.miss(key: key)
        snapshots.forget()
    }

    /// Counts a new event for all views, and returns the wakeups. One pass over the views, since there may be a thousand.
    private mutating func advanceViews(by bytes: Int) -> Wakeups {
        let viewBytes = limits.values.viewBytes
        let isTold = told == .max
        var wakeups = Wakeups()
        var waiting = waitingViews
        views.changeAll { view in
            guard view.cursor != nil else { return }
            // Checked before the event is added, so that one large event alone never ends a view that reads.
            if view.cursor?.isBeyond(viewBytes) == true { view.end = .overflow }
            if view.cursor?.add(bytes) == true { waiting += 1 }
            // The views of a durable session are woken when the event is stored.
            guard isTold, view.cursor?.wake() == true else { return }
            wakeups.append(Wakeup(viewer: view.viewer, view: view.number))
        }
        waitingViews = waiting
        return wakeups
    }

    /// Takes events for a view, at most about `maximumBytes` of them but at least one; without `last` also the session's end. A
    /// view that ends while its session goes on gets the end at once, without the events that wait.
    mutating func take(_ id: Int, upTo last: Int?, maximumBytes: Int) -> ViewDelivery {
        guard let index = views.index(of: id) else { return ViewDelivery() }
        // A view that waits for its snapshot is answered before it is told of its end.
        if let end = views.elements[index].end, views.elements[index].arrival == nil {
            _ = detach(id)
            return ViewDelivery(end: end)
        }
        let newest = newest
        guard let before = views.elements[index].cursor,
            var delivery = views.elements[index].cursor?.take(
                upTo: min(last ?? .max, told), maximumBytes: maximumBytes, from: log, newest: newest)
        else { return ViewDelivery() }
        delivery.isAll = !delivery.hasMore && (end == nil || holdsEnd)
        if !delivery.hasMore, last == nil, !holdsEnd { delivery.end = end }
        if before.isWaiting, views.elements[index].cursor?.isWaiting == false {
            waitingViews -= 1
            if views.elements[index].isLeftBehind { views.elements[index].isLeftBehind = false }
        }
        // Not after each take: a thousand views would look a thousand times at a thousand.
        if waitingViews == 0 {
            trim()
        } else if log.isBeyondBounds, log.isFirst(after: before.number) {
            log.trim(seenByAll: seen(byThose: { _ in true }))
            countBytes()
        }
        return consume delivery
    }

    /// Adds a view that has seen everything up to `seen`, or one that waits for a snapshot and has an
    /// `arrival` instead.
    ///
    /// - Parameter isComplete: whether nothing up to `seen` was left out for the view.
    mutating func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, after seen: Int?, isComplete: Bool = true,
        arrival: Arrival? = nil
    ) -> Int {
        lastView += 1
        let cursor = seen.map { ViewCursor(after: $0, isComplete: isComplete, in: log) }
        if cursor?.isWaiting == true { waitingViews += 1 }
        views.append(
            SessionView(
                id: lastView, viewer: viewer, number: number, client: client, cursor: cursor, arrival: arrival))
        return lastView
    }

    /// Notes who looks through a view.
    mutating func introduce(_ id: Int, _ visitor: Client?, _ options: ViewOptions) {
        views.change(id) { $0.introduce(visitor, options) }
    }

    /// Notes those who look through a view that a view model has.
    mutating func setViewers(_ viewers: [Client], of id: Int) {
        views.change(id) { $0.setViewers(viewers) }
    }

    /// Whether a stream has to wait for a view.
    var hasViewBehind: Bool { waitingViews > 0 && views.elements.contains(where: \.isBehind) }

    /// The views that streams wait for, with the numbers of their last events.
    var viewsBehind: [Int: Int] {
        let behind = views.elements.filter(\.isBehind).map { ($0.id, $0.cursor?.number ?? 0) }
        return Dictionary(behind, uniquingKeysWith: { first, _ in first })
    }

    mutating func leaveBehind(_ id: Int) {
        views.change(id) { $0.isLeftBehind = true }
    }

    /// Ends one view while the session goes on: its viewer is told with the next take.
    mutating func end(_ id: Int, _ reason: EndReason) {
        views.change(id) { $0.end = reason }
    }

    /// Ends a view whose client has attached again.
    ///
    /// - Returns: a wakeup for its viewer, where that doesn't know that something waits.
    mutating func replace(_ id: Int) -> Wakeup? {
        end(id, .replaced)
        guard let index = views.index(of: id), views.elements[index].cursor?.wake() == true else { return nil }
        return Wakeup(viewer: views.elements[index].viewer, view: views.elements[index].number)
    }

    /// The views whose snapshots were asked for and aren't there yet.
    var viewsAwaitingSnapshot: [Int] { views.elements.filter { $0.arrival?.deadline != nil }.map(\.id) }

    mutating func setDeadline(_ deadline: Duration, of id: Int) {
        views.change(id) { $0.arrival?.deadline = deadline }
    }

    /// A snapshot of the newest number that is still being sent to some view.
    var sharedSnapshot: SharedText? { snapshots.text(at: log.newest) }

    /// Ends a view's wait for its snapshot: from here on it gets the events after the newest number. Nil where the view doesn't
    /// wait. A view that was replaced meanwhile gets nothing but its end.
    mutating func place(_ id: Int) -> (arrival: Arrival, client: String?)? {
        guard let view = views[id], let arrival = view.arrival, view.end == nil || view.end == .replaced else {
            return nil
        }
        let cursor = ViewCursor(after: log.newest, isComplete: true, in: log)
        views.change(id) {
            $0.arrival = nil
            $0.cursor = cursor
        }
        return (arrival, view.client)
    }

    /// Removes a view, and returns it; nil when it was gone already.
    mutating func detach(_ id: Int) -> SessionView? {
        guard let view = remove(id) else { return nil }
        trim()
        return view
    }

    /// Removes all views: none is told anything more.
    mutating func forgetViews() {
        for view in views.elements { _ = remove(view.id) }
    }

    private mutating func remove(_ id: Int) -> SessionView? {
        guard let view = views.remove(id) else { return nil }
        if view.cursor?.isWaiting == true { waitingViews -= 1 }
        return view
    }

    /// Ends the feed: nothing is numbered any more, and views that wait for a snapshot are removed. Nil when it has ended
    /// already.
    mutating func end(_ reason: EndReason) -> (arrivals: [Arrival], wakeups: Wakeups)? {
        guard end == nil else { return nil }
        end = reason
        let late = views.elements.filter { $0.arrival != nil }
        for view in late { _ = remove(view.id) }
        return (late.compactMap(\.arrival), holdsEnd ? Wakeups() : wakeViews())
    }

    /// Holds the end back, where the session isn't over: views aren't told of it before `releaseEnd(as:)`.
    mutating func holdEnd() {
        if end == nil { holdsEnd = true }
    }

    /// Lets views be told of the end, and returns their wakeups.
    ///
    /// - Parameter reason: replaces the reason of the end; nil leaves it.
    mutating func releaseEnd(as reason: EndReason?) -> Wakeups {
        guard holdsEnd else { return Wakeups() }
        holdsEnd = false
        guard end != nil else { return Wakeups() }
        end = reason ?? end
        // Events that aren't stored are in no next life, and so may be told.
        told = .max
        return wakeViews()
    }

    private mutating func show(_ change: NavigationChange) {
        var navigation = shown?.navigation ?? HostNavigation()
        navigation.apply(change)
        shown = Shown(navigation)
    }

    /// Returns the screens on and over this session when `number` was the newest. The log must have all changes after it.
    func navigation(at number: Int) -> HostNavigation {
        guard var navigation = shown?.navigation else { return HostNavigation() }
        for change in log.changes(after: number).reversed() { navigation.undo(change) }
        return navigation
    }

    /// Drops the entries that no view needs any more.
    private mutating func trim() {
        dropSuperseded()
        guard log.needsAttention else { return }
        if log.isBeyondBounds { log.trim(seenByAll: seen(byThose: { _ in true })) }
        countBytes()
    }

    /// Counts what the log keeps, where that has changed by much.
    private mutating func countBytes() {
        let growth = log.keptBytes - countedBytes
        guard growth >= KeptBytes.step || growth <= -KeptBytes.step else { return }
        limits.kept.add(growth)
        countedBytes = log.keptBytes
        log.didCount()
        if growth > 0, limits.kept.isFull { keepLess() }
    }

    /// Keeps less, as all sessions together keep too much: only what views have yet to see. Views that don't keep up are ended.
    private mutating func keepLess() {
        views.changeAll { view in
            if view.cursor?.isBeyond(ViewCursor.keepsUpBytes) == true { view.end = .overflow }
        }
        log.trim(seenByAll: seen(byThose: { _ in true }), maximumBytes: KeptBytes.step)
        countBytes()
    }

    /// Drops superseded entries, which stay only for the views that keep up. Called for each append, which may make a view fall
    /// behind so that it doesn't need them any more, and after a take that leaves no view waiting.
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
        countBytes()
    }

    /// Returns the newest number that all views of a kind have seen.
    private func seen(byThose isCounted: (ViewCursor) -> Bool) -> Int {
        var seen = log.newest
        guard waitingViews > 0 else { return seen }
        for index in views.elements.indices {
            let view = views.elements[index]
            if view.end == nil, let cursor = view.cursor, isCounted(cursor) { seen = min(seen, cursor.number) }
        }
        return seen
    }
}
