import Queues
import Sessions
import ViewModels

/// One attachment of this connection's client to a session. Confined to the connection's loop.
final class AttachedView {
    /// How far the answer to its `session/open` or `session/attach` is. No event is sent before that answer.
    enum Stage {
        /// The view model is being made, or the answer is being written.
        case opening
        /// The session is making a snapshot. The actions concern the view and run, in order, once the answer is
        /// written.
        case awaitingSnapshot(deferred: [(ConnectionViews) -> Void])
        /// The answer waits for the rest of its batch.
        case batched(Int)
        case answered
    }

    /// The number that the client knows it by.
    let number: Int
    let session: Session
    /// The view's name in its session.
    let id: Int
    /// For the view model; nil where nothing is known.
    let client: Client?
    var stage = Stage.opening
    /// The session was asked for the snapshot that the view waits for.
    var hasAskedForSnapshot = false
    /// The session has announced events, and not all of them are taken.
    var hasEvents = false
    /// The number up to which its events are sent, or wait in the outbox, before an answer to another view.
    var lastInOutbox = 0
    /// The session's sent bytes when the outbox last counted them.
    var countedBytes = 0

    init(number: Int, session: Session, id: Int, client: Client?) {
        self.number = number
        self.session = session
        self.id = id
        self.client = client
    }

    var isAnswered: Bool { if case .answered = stage { true } else { false } }

    var isAwaitingSnapshot: Bool { if case .awaitingSnapshot = stage { true } else { false } }
}

/// The views of one connection by their numbers.
///
/// An object that the connection's parts share. Each message looks a view up, which is a subtraction as long as no view
/// between was detached.
final class ViewTable {
    // Not checked for exclusivity: on the way of each view event. Only the connection's loop uses the table, and
    // nothing is called while it changes; a view that is detached is kept alive by the caller that removed it.
    /// Those that the client may name, in the order of their numbers.
    @exclusivity(unchecked) private(set) var attached: [AttachedView] = []
    /// Those that the client has detached while something is still to be written for them: their last events, or the
    /// answer to their `session/attach`.
    private var detaching: [Int: Detaching] = [:]

    private struct Detaching {
        let view: AttachedView
        /// The session ends with it where no other view is left. Nil where the session has let the view go already.
        let endsSession: Bool?
    }

    var count: Int { attached.count }

    /// The view that the client calls by this number.
    subscript(number: Int) -> AttachedView? {
        index(of: number).map { attached[$0] }
    }

    /// The view with this number, even when the client has detached it.
    func find(_ number: Int) -> AttachedView? {
        self[number] ?? detaching[number]?.view
    }

    /// - Parameter view: its number is higher than all before it.
    func append(_ view: AttachedView) {
        attached.append(view)
    }

    func remove(_ number: Int) -> AttachedView? {
        index(of: number).map { attached.remove(at: $0) }
    }

    /// Keeps a view that was removed until `finishDetaching`.
    func detach(_ view: AttachedView, endsSession: Bool?) {
        detaching[view.number] = Detaching(view: view, endsSession: endsSession)
    }

    /// Everything is written for a view that the client has detached.
    func finishDetaching(_ number: Int) {
        guard let detached = detaching.removeValue(forKey: number) else { return }
        if let endsSession = detached.endsSession {
            detached.view.session.detach(detached.view.id, endsWithLast: endsSession)
        }
    }

    /// The views whose answers are in this batch.
    func views(inBatch batch: Int) -> [AttachedView] {
        attached.filter { if case .batched(batch) = $0.stage { true } else { false } }
    }

    /// Takes every view off its session.
    func detachAll() {
        let views = attached
        attached = []
        for view in views { view.session.detach(view.id) }
        for number in detaching.keys.sorted() { finishDetaching(number) }
    }

    private func index(of number: Int) -> Int? {
        guard let first = attached.first, number >= first.number else { return nil }
        // Its place as long as none between was detached, and never before its place.
        var upper = min(number - first.number, attached.count - 1)
        if attached[upper].number == number { return upper }
        var lower = 0
        while lower < upper {
            let middle = (lower + upper) / 2
            if attached[middle].number < number { lower = middle + 1 } else { upper = middle }
        }
        return attached[lower].number == number ? lower : nil
    }
}

/// The turns of a connection's views for their snapshots.
struct SnapshotTurns {
    private let maximum: Int
    /// Asked for, and not there.
    private var count = 0
    /// The numbers of the views whose snapshots aren't asked for.
    private var waiting = Deque<Int>()
    private var isTaking = false

    /// - Parameter maximum: how many snapshots are made at a time.
    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    var hasRoom: Bool { count < maximum }

    mutating func wait(_ number: Int) {
        waiting.append(number)
    }

    /// Whether the caller may take turns now, until it calls `endTaking`.
    mutating func beginTaking() -> Bool {
        defer { isTaking = true }
        return !isTaking
    }

    mutating func endTaking() {
        isTaking = false
    }

    /// The view that is next, if there is room; it may be gone.
    mutating func next() -> Int? {
        hasRoom ? waiting.popFirst() : nil
    }

    /// The view's snapshot is about to be asked for.
    mutating func begin(_ view: AttachedView) {
        view.hasAskedForSnapshot = true
        count += 1
    }

    /// The view waits no more.
    mutating func end(_ view: AttachedView) {
        if view.hasAskedForSnapshot { count -= 1 }
        view.hasAskedForSnapshot = false
    }
}
