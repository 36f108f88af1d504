/// A session's events, numbered from 1: the one place where they are kept, replayed and taken from.
///
/// It keeps the newest entries within its bounds, and older ones only as long as a view has yet to see them. An entry that was
/// superseded by a newer event of the same key is dropped as soon as no view waits for it. Pure rules, guarded by the
/// `Session`.
package struct SessionLog {
    /// The content of one number: an event, or a change of what is on screen.
    package enum Content: Sendable, Equatable {
        /// The JSON text of a view model's event, made once and shared by all views.
        case event([UInt8])
        indirect case navigation(NavigationChange)

        var bytes: Int {
            switch self {
            case .event(let payload): payload.count
            case .navigation(let change): change.child.key.utf8.count + change.child.viewModel.utf8.count
            }
        }
    }

    /// One number with its content, the same for every view.
    package struct Entry: Sendable {
        package let number: Int
        package let content: Content
        /// The event's key. A newer event with the same key supersedes this one.
        let key: String?
        /// The uninterrupted stretch of a thread's work in which the entry was added; 0 where that isn't known.
        package let turn: UInt64
    }

    /// The newest event that couldn't be sent, unless a newer one has made up for it.
    private struct Missing {
        var event: UnsentEvent?
        var isHanded = false
    }

    private var entries = NumberedQueue<Entry>()
    /// The number of the newest entry of each key that is kept.
    private(set) var keys: [String: Int] = [:]
    /// The number of the newest event of each list.
    private var lists: [String: Int] = [:]
    /// For each event of a list that is kept, by its number: the number of the list's event before it, or 0. Apart from the
    /// entries, since few sessions have lists.
    private var previousOfLists: [Int: Int] = [:]
    /// The numbers of superseded entries that are kept for a view which waits for them, in ascending order.
    private var superseded: [Int] = []
    /// Entries that count as superseded once a newer one is stored, each with that one's number, in ascending order of the
    /// latter. A view that was told no more than what is stored gets these entries in the session's next life, or never.
    private var replaced: [(number: Int, by: Int)] = []
    /// The number of the newest entry that was dropped although no event had superseded it.
    private var lost = 0
    @Rare private var missing: Missing?
    /// Whether every event that wasn't superseded is kept, so that all of them together are a snapshot.
    private(set) var hasAllEvents = true
    private let maximumCount: Int
    private let maximumBytes: Int
    /// The number of kept bytes beyond which the log needs attention.
    private var attentionBytes: Int

    /// The number of the newest entry; 0 before the first.
    package private(set) var newest = 0
    /// The bytes of the entries that are kept.
    private(set) var keptBytes = 0
    /// The bytes of all entries that there ever were.
    private(set) var sentBytes = 0

    package init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
        attentionBytes = min(maximumBytes, KeptBytes.step)
    }

    /// Takes over everything that was stored. Called while the log is empty.
    mutating func restore(_ stored: StoredTurn) {
        (lost, hasAllEvents) = (stored.lost, stored.hasAllEvents)
        for entry in stored.entries {
            keptBytes += entry.content.bytes
            if let key = entry.key { keys[key] = entry.number }
            let list = entry.key.flatMap { Self.list(ofKey: $0) }
            entries.append(
                Entry(number: entry.number, content: entry.content, key: entry.key, turn: 0), number: entry.number)
            if let list {
                lists[list] = entry.number
                // The list's event before it may be gone.
                previousOfLists[entry.number] = 0
            }
        }
        newest = stored.newest
        if let event = stored.notes?.unsent { missing = Missing(event: event, isHanded: true) }
    }

    var unsent: UnsentEvent? { missing?.event }
    /// Whether the store doesn't know yet of an event that couldn't be sent.
    var hasUnhandedUnsent: Bool { !_missing.isUnused && missing?.isHanded == false }

    mutating func didHandUnsent() {
        if !_missing.isUnused { missing?.isHanded = true }
    }

    /// Notes an event that couldn't be sent.
    mutating func miss(key: String?) {
        // Where two such events have different keys, or none, no later event makes up for both.
        let key = missing?.event.map { $0.key == key ? key : nil } ?? key
        missing = Missing(event: UnsentEvent(newest: newest, key: key))
    }

    var count: Int { entries.count }

    /// How many slots for entries the log holds in memory.
    var placeCount: Int { entries.placeCount }

    /// The smallest number from which on every entry is kept or superseded; one more than `newest` when none is kept.
    package var oldest: Int { lost + 1 }

    package mutating func append(_ content: Content, key: String? = nil, turn: UInt64) {
        if let key { supersede(key, unstored: 0) }
        if !_missing.isUnused, let key, missing?.event?.key == key { missing = Missing() }
        newest += 1
        let bytes = content.bytes
        keptBytes += bytes
        sentBytes += bytes
        if let key { keys[key] = newest }
        if let list = key.flatMap({ Self.list(ofKey: $0) }) {
            previousOfLists[newest] = lists[list] ?? 0
            lists[list] = newest
        }
        entries.append(Entry(number: newest, content: content, key: key, turn: turn), number: newest)
    }

    /// Returns the number of a list's event before this one, or 0, for an event that says what has changed since. Nil for other
    /// events.
    func previousOfList(_ number: Int) -> Int? {
        previousOfLists.isEmpty ? nil : previousOfLists[number]
    }

    /// Returns the key of a list's events. It begins with a NUL, which no key that a person writes does.
    static func key(ofList list: String) -> String { "\0" + list }

    private static func list(ofKey key: String) -> String? {
        key.utf8.first == 0 ? String(key.dropFirst()) : nil
    }

    /// Makes way for an event with this key, which is about to be appended.
    ///
    /// - Parameter unstored: the first number that isn't on its way to the store. From there on entries are stored together,
    ///   and those before it stay until `didStore(upTo:)`.
    mutating func supersede(_ key: String, unstored: Int) {
        guard let old = keys.removeValue(forKey: key) else { return }
        if old < unstored { replaced.append((old, by: newest + 1)) } else { insertSuperseded(old) }
    }

    private mutating func insertSuperseded(_ old: Int) {
        let place = superseded.lastIndex { $0 < old }.map { $0 + 1 } ?? 0
        superseded.insert(old, at: place)
    }

    /// Notes that everything up to a number is stored.
    mutating func didStore(upTo number: Int) {
        let count = replaced.prefix { $0.by <= number }.count
        for entry in replaced.prefix(count) where entries[entry.number] != nil { insertSuperseded(entry.number) }
        replaced.removeFirst(count)
    }

    /// Whether some entry is kept only for the views that wait for it.
    var hasSuperseded: Bool { !superseded.isEmpty }

    /// Drops the oldest superseded entry, unless it comes after `number`, so that a view which keeps up has yet to see it.
    mutating func dropSuperseded(upTo number: Int) -> Entry? {
        guard let first = superseded.first, first <= number else { return nil }
        superseded.removeFirst()
        return remove(first)
    }

    /// Whether more is kept than the bounds allow, since a view has yet to see it, or `trim` hasn't been called.
    var isBeyondBounds: Bool { entries.count > maximumCount || keptBytes > maximumBytes }

    /// Whether the log is beyond its bounds, or has grown by much since it was counted. It is one check for both, as it follows
    /// each event.
    var needsAttention: Bool { entries.count > maximumCount || keptBytes > attentionBytes }

    /// Notes that what is kept now has been counted.
    mutating func didCount() {
        attentionBytes = min(maximumBytes, keptBytes + KeptBytes.step)
    }

    /// Whether every entry that is kept comes after `number`.
    func isFirst(after number: Int) -> Bool { entries.firstNumber.map { $0 > number } ?? false }

    /// Drops the oldest entries beyond the bounds, but none after `number`, which some view has yet to see.
    ///
    /// - Parameter maximumBytes: less than the bound, where memory is short.
    package mutating func trim(seenByAll number: Int, maximumBytes: Int = .max) {
        while isBeyondBounds || keptBytes > maximumBytes {
            guard let first = entries.firstNumber, first <= number, let entry = entries.removeFirst() else { return }
            didRemove(entry)
            if superseded.first == first {
                superseded.removeFirst()
            } else {
                lost = first
                // Where there is a newer entry of its key, it isn't missed.
                guard entry.key.map({ keys[$0] == first }) ?? true else { continue }
                if case .event = entry.content { hasAllEvents = false }
                if let key = entry.key { keys[key] = nil }
            }
        }
    }

    private mutating func remove(_ number: Int) -> Entry? {
        let entry = entries.remove(number)
        if let entry { didRemove(entry) }
        return entry
    }

    private mutating func didRemove(_ entry: Entry) {
        keptBytes -= entry.content.bytes
        if !previousOfLists.isEmpty { previousOfLists[entry.number] = nil }
    }

    /// The entry with this number; nil where it isn't kept.
    package subscript(number: Int) -> Entry? { entries[number] }

    /// The first entry beyond `number` that is kept.
    func next(after number: Int) -> Entry? {
        entries.first(after: number)?.element
    }

    /// Whether every entry after `number` is kept or superseded.
    package func canReplay(after number: Int) -> Bool {
        number >= lost && number <= newest && number >= firstComplete
    }

    /// The smallest number from which on no event is missing because it couldn't be sent.
    private var firstComplete: Int { unsent.map { $0.newest + 1 } ?? 0 }

    /// The smallest number for which `canReplay` may be true, now or when there are more entries.
    var firstReplayable: Int { max(lost, firstComplete) }

    /// Whether the next entry was sent in the same turn.
    package func isFollowedAtOnce(_ entry: Entry) -> Bool {
        entry.turn != 0 && entry.number < newest && next(after: entry.number)?.turn == entry.turn
    }

    /// The JSON text of an array of the events that are kept and not superseded, oldest first.
    var eventArray: [UInt8] {
        var text = Array("[".utf8)
        var number = 0
        while let entry = next(after: number) {
            number = entry.number
            guard case .event(let payload) = entry.content, entry.key.map({ keys[$0] == number }) ?? true else {
                continue
            }
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: previousOfList(number) == nil ? payload : Self.withoutChanges(payload))
        }
        text.append(UInt8(ascii: "]"))
        return text
    }

    /// Returns the kept changes of what is on screen beyond `number`, oldest first.
    func changes(after number: Int) -> [NavigationChange] {
        var changes: [NavigationChange] = []
        var number = number
        while let entry = next(after: number) {
            number = entry.number
            if case .navigation(let change) = entry.content { changes.append(change) }
        }
        return changes
    }
}
