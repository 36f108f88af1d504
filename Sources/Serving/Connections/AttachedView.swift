import JSONRPC
import Queues
import Sessions
import ViewModelProtocol
import ViewModels

/// One attachment of this connection's client to a session. Confined to the connection's loop.
final class AttachedView {
    /// The progress of the answer to the view's `session/open` or `session/attach`. No event is sent before that answer.
    enum Stage {
        /// The view model is being made, or the answer is being written.
        case opening
        /// As `opening`. If the session turns out to be another server's, the request is handled again.
        case waitsForStore
        /// The session is making a snapshot. The actions concern the view and run, in order, once the answer is
        /// written.
        case awaitingSnapshot(deferred: [(ConnectionViews) -> Void])
        /// The answer waits for the rest of its batch, which has this number.
        case batched(Int)
        case answered
    }

    /// The number by which the client names the view.
    let number: Int
    let session: Session
    /// The number by which the session names the view.
    let id: Int
    /// What the view model may know of the client; nil where nothing is known.
    let client: Client?
    /// What few views have; nil for the others, which it costs a word.
    private let special: Special?

    private final class Special {
        let readKey: String?
        let isToldOfViews: Bool
        var hasViewsToTell = false

        init(_ readKey: String?, isToldOfViews: Bool) {
            (self.readKey, self.isToldOfViews) = (readKey, isToldOfViews)
        }
    }

    /// The key of the session's readers that the client has attached with, or with which that key begins; nil where the client may
    /// do everything.
    var readKey: String? { special?.readKey }
    /// Whether the client is told which views the session has.
    var isToldOfViews: Bool { special?.isToldOfViews ?? false }
    /// Whether the client is about to be told that.
    var hasViewsToTell: Bool {
        get { special?.hasViewsToTell ?? false }
        set { special?.hasViewsToTell = newValue }
    }
    var stage = Stage.opening
    /// Whether the session was asked for the snapshot that the view waits for.
    var hasAskedForSnapshot = false
    /// Whether the session has announced events that aren't all taken yet.
    var hasEvents = false
    /// The number up to which the view's events are sent, or wait in the outbox, before an answer to another view.
    var lastInOutbox = 0
    /// The number of bytes that the session had sent when the outbox last counted them.
    var countedBytes = 0

    init(_ request: ViewRequest, number: Int, session: Session, id: Int, client: Client?) {
        self.number = number
        self.session = session
        self.id = id
        self.client = client
        special =
            request.readKey == nil && !request.isToldOfViews
            ? nil : Special(request.readKey, isToldOfViews: request.isToldOfViews)
    }

    /// The key by which the client knows the session.
    var key: String {
        guard let readKey else { return session.key }
        return readKey == session.readKey ? readKey : ReadKey.ofChild(session.key, under: readKey)
    }

    /// Refuses what a client may not do that only looks.
    ///
    /// - Parameter what: as in "it can't send events".
    /// - Throws: `Forbidden`.
    func check(mayDo what: @autoclosure () -> String) throws(RPCError) {
        if let special, special.readKey != nil { throw .forbidden(what()) }
    }

    var isAnswered: Bool { if case .answered = stage { true } else { false } }

    var isAwaitingSnapshot: Bool { if case .awaitingSnapshot = stage { true } else { false } }
}

/// The views of one connection by their numbers.
///
/// A class, as the connection's parts share it. Each message looks up a view. That is a subtraction as long as no view in
/// between was detached.
final class ViewTable {
    // Not checked for exclusivity, as each view event uses it. Only the connection's loop uses the table, and nothing is
    // called while it changes. A view that is detached is kept alive by the caller that removed it.
    /// The views that the client may name, in the order of their numbers.
    @exclusivity(unchecked) private(set) var attached: [AttachedView] = []
    /// The views that the client has detached while something is still to be written for them: their last events, or the
    /// answer to their `session/attach`.
    private var detaching: [Int: Detaching] = [:]

    private struct Detaching {
        let view: AttachedView
        /// Whether the session ends where this was its last view. Nil where the session has let go of the view already.
        let endsSession: Bool?
    }

    var count: Int { attached.count }

    /// The view that the client calls by this number.
    subscript(number: Int) -> AttachedView? {
        index(of: number).map { attached[$0] }
    }

    /// Returns the view with this number, even when the client has detached it.
    func find(_ number: Int) -> AttachedView? {
        self[number] ?? detaching[number]?.view
    }

    /// Adds a view.
    ///
    /// - Parameter view: a view whose number is higher than all in the table.
    func append(_ view: AttachedView) {
        attached.append(view)
    }

    func remove(_ number: Int) -> AttachedView? {
        index(of: number).map { attached.remove(at: $0) }
    }

    /// Keeps a view that was removed from the table until `finishDetaching`.
    func detach(_ view: AttachedView, endsSession: Bool?) {
        detaching[view.number] = Detaching(view: view, endsSession: endsSession)
    }

    /// Lets go of a detached view for which everything is written, and detaches it from its session.
    func finishDetaching(_ number: Int) {
        guard let detached = detaching.removeValue(forKey: number) else { return }
        if let endsSession = detached.endsSession {
            detached.view.session.detach(detached.view.id, endsWithLast: endsSession)
        }
    }

    /// Returns the views whose answers wait in this batch.
    func views(inBatch batch: Int) -> [AttachedView] {
        attached.filter { if case .batched(batch) = $0.stage { true } else { false } }
    }

    /// Detaches every view from its session.
    func detachAll() {
        let views = attached
        attached = []
        for view in views { view.session.detach(view.id) }
        for number in detaching.keys.sorted() { finishDetaching(number) }
    }

    private func index(of number: Int) -> Int? {
        guard let first = attached.first, number >= first.number else { return nil }
        // The index as long as none in between was detached. The real index is never higher.
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

/// The order in which a connection's views get their snapshots, and how many of them at a time.
struct SnapshotTurns {
    private let maximum: Int
    /// The number of snapshots that were asked for and haven't come.
    private var count = 0
    /// The numbers of the views whose snapshots weren't asked for yet.
    private var waiting = Deque<Int>()
    private var isTaking = false

    /// - Parameter maximum: how many snapshots are made at the same time.
    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    var hasRoom: Bool { count < maximum }

    mutating func wait(_ number: Int) {
        waiting.append(number)
    }

    /// Returns whether the caller may take turns now, until it calls `endTaking`.
    mutating func beginTaking() -> Bool {
        defer { isTaking = true }
        return !isTaking
    }

    mutating func endTaking() {
        isTaking = false
    }

    /// Takes the number of the next view, if another snapshot may be made now. The view may be gone.
    mutating func next() -> Int? {
        hasRoom ? waiting.popFirst() : nil
    }

    /// Counts the view's snapshot, which is about to be asked for.
    mutating func begin(_ view: AttachedView) {
        view.hasAskedForSnapshot = true
        count += 1
    }

    /// Notes that the view no longer waits for a snapshot.
    mutating func end(_ view: AttachedView) {
        if view.hasAskedForSnapshot { count -= 1 }
        view.hasAskedForSnapshot = false
    }
}
