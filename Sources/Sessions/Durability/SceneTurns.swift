/// The turns of a scene's sessions that were handed over and aren't on their way to the store yet. It says which of them are
/// stored together, and which wait. Pure rules, guarded by the `SceneCommitter`; sessions are named by their keys.
///
/// Two sessions are linked where a turn of one has an effect on the other. A session is open while something of it is still to
/// be handed over. Sessions that are linked, directly or through others, are stored in one commit, once none of them is open.
/// Sessions without a link to an open one never wait for it.
///
/// A session that has ended on screen stays in the store until the turn of its host that takes it off is stored. A life that
/// began before that would handle the session's last event again. So whatever that event had an effect on waits for the host's
/// turn.
struct SceneTurns {
    /// The key that stands for the objects which the sessions share.
    static let shared = ""

    struct Batch {
        let changes: [StoredChange]
        /// Actions that tell views of events. They are called before all `actions`, which answer.
        let tellings: [StoreCompletion]
        let actions: [StoreCompletion]
    }

    /// A session that came on screen, while its host hasn't handed that over yet.
    private struct Shown {
        let place: Int
        let header: StoredSession.Header
        /// The key of the host; nil until it is known.
        var host: String?
    }

    private struct Entry {
        let session: String
        /// The sessions that are added before all other changes, which may be theirs, in the order in which they came on
        /// screen.
        var added: [Shown] = []
        var changes: [StoredChange] = []
        var telling: StoreCompletion?
        var action: StoreCompletion?
    }

    private enum Phase {
        case goesOn
        /// The root is to be removed, and everything with it.
        case isRemoved
        /// Nothing more of this life is stored.
        case hasLeft
    }

    private var phase = Phase.goesOn
    private var entries: [Entry] = []
    private var open: Set<String> = []
    /// The sessions that have ended, while their hosts haven't handed that over yet.
    private var ending: Set<String> = []
    private var links: [String: Set<String>] = [:]
    private var shown: [String: Shown] = [:]
    private var shownCount = 0
    /// The hosts of stored sessions, by the sessions' keys.
    private var hosts: [String: String] = [:]

    mutating func restore(hosts: [String: String]) {
        self.hosts = hosts
    }

    /// Notes a session that comes on screen. It is stored with the turn of its host that says so.
    mutating func noteShown(_ header: StoredSession.Header) {
        shownCount += 1
        shown[header.key] = Shown(place: shownCount, header: header)
    }

    /// Notes the host of a session that came on screen. The host may have handed that over by now.
    ///
    /// - Parameter host: nil where no host will hand it over.
    mutating func noteHost(of session: String, _ host: String?) {
        if host == nil { shown[session] = nil } else { shown[session]?.host = host }
    }

    /// Opens a session, of which something, or its end, is to be handed over: `add` or `close` follows.
    mutating func open(_ session: String) {
        if phase == .goesOn { open.insert(session) }
    }

    mutating func link(_ first: String, _ second: String) {
        guard first != second else { return }
        links[first, default: []].insert(second)
        links[second, default: []].insert(first)
    }

    /// Closes a session that has ended: nothing more of it is awaited.
    ///
    /// - Parameter isTakenOff: whether its host hands over, or has handed over, that the session isn't on screen any more.
    mutating func close(_ session: String, isTakenOff: Bool) {
        open.remove(session)
        guard phase == .goesOn, isTakenOff, hosts[session] != nil || shown[session] != nil else { return }
        ending.insert(session)
    }

    /// Hands over what one session has to store.
    ///
    /// - Parameters:
    ///   - noted: changes that go before the turn.
    ///   - shared: the change of the objects that sessions share. While a session linked to these is open, each turn may have
    ///     read them, and waits, too.
    ///   - telling: called once the turn is stored, before the actions of any turn of its batch.
    ///   - then: called once with the outcome.
    mutating func add(
        _ turn: StoredTurn?, of session: String, noted: [StoredChange], shared: StoredChange?,
        telling: StoreCompletion? = nil, then: @escaping StoreCompletion
    ) {
        open.remove(session)
        if shared != nil || links[Self.shared]?.isEmpty == false { link(session, Self.shared) }
        var entry = Entry(session: session, telling: telling, action: then)
        guard phase == .goesOn else { return entries.append(entry) }
        entry.changes = noted + [shared].compactMap(\.self)
        if let turn { add(turn, to: &entry) }
        entries.append(entry)
    }

    private mutating func add(_ turn: StoredTurn, to entry: inout Entry) {
        entry.changes.append(.turn(turn))
        for case .navigation(let change) in turn.entries.map(\.content) {
            switch change.kind {
            case .push, .present: add(change.child.key, to: &entry)
            case .pop, .dismiss: remove(change.child.key, from: &entry)
            }
        }
    }

    private mutating func add(_ key: String, to entry: inout Entry) {
        guard let shown = shown.removeValue(forKey: key) else { return }
        link(entry.session, key)
        entry.added.append(shown)
        hosts[key] = entry.session
    }

    /// Removes a session, and everything on or over it, whose hosts have no turn any more.
    private mutating func remove(_ key: String, from entry: inout Entry) {
        // The session's host ended before it handed the session over.
        add(key, to: &entry)
        guard hosts.removeValue(forKey: key) != nil else { return }
        ending.remove(key)
        link(entry.session, key)
        entry.changes.append(.removeSession(key: key))
        let children = hosts.filter { $0.value == key }.map(\.key) + shown.filter { $0.value.host == key }.map(\.key)
        for child in children.sorted() { remove(child, from: &entry) }
    }

    /// Whether no change of the shared objects is on its way to the store.
    var isSharedStored: Bool { phase != .goesOn || links[Self.shared]?.isEmpty != false }

    /// Calls `action` when the changes of the shared objects are stored. Returns false where they are already.
    mutating func waitForShared(_ action: @escaping StoreCompletion) -> Bool {
        guard !isSharedStored else { return false }
        entries.append(Entry(session: Self.shared, action: action))
        return true
    }

    /// Closes a root that has failed: this life of the scene is over, and no host hands anything over.
    mutating func closeRoot(_ root: String) {
        open.remove(root)
        (ending, shown) = ([], [:])
    }

    /// Removes a root that has ended from the store, and all other sessions with it.
    mutating func removeRoot(_ root: String) {
        guard phase == .goesOn else { return }
        phase = .isRemoved
        (open, ending) = ([], [])
        entries.append(Entry(session: root, changes: [.removeSession(key: root)]))
    }

    /// Ends this life of the scene, which stays stored. Returns the actions of turns that will never be whole: these are done
    /// again in the next life, from the first event that wasn't answered.
    mutating func leave() -> [StoreCompletion] {
        guard phase == .goesOn else { return [] }
        let blocked = blocked
        (phase, open, ending) = (.hasLeft, [], [])
        let left = entries.filter { blocked.contains($0.session) }
        entries.removeAll { blocked.contains($0.session) }
        return left.compactMap(\.action)
    }

    var hasLeft: Bool { phase == .hasLeft }

    /// Takes everything that can be stored; nil where nothing can.
    mutating func take() -> Batch? {
        guard !entries.isEmpty else { return nil }
        let blocked = blocked
        let ready = entries.filter { !blocked.contains($0.session) }
        guard !ready.isEmpty else { return nil }
        entries.removeAll { !blocked.contains($0.session) }
        links = links.filter { blocked.contains($0.key) }
        let added = ready.flatMap(\.added).sorted { $0.place < $1.place }.map { StoredChange.addSession($0.header) }
        return Batch(
            changes: added + ready.flatMap(\.changes), tellings: ready.compactMap(\.telling),
            actions: ready.compactMap(\.action))
    }

    /// The sessions whose turns wait.
    private var blocked: Set<String> {
        // A session that isn't in the store yet can have no turns there.
        guard phase == .goesOn, !open.isEmpty || !shown.isEmpty || !ending.isEmpty else { return [] }
        var blocked = open.union(shown.keys).union(ending)
        var next = Array(blocked)
        while let session = next.popLast() {
            for other in links[session] ?? [] where blocked.insert(other).inserted { next.append(other) }
        }
        return blocked
    }
}
