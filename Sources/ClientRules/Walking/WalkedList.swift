import JSON

/// The list of a simulated view model: its rows and its event at each `seq`.
struct WalkedList {
    /// The ids of the rows, by `seq`.
    private(set) var versions: [[Int]] = [[]]
    /// The events, by `seq`; the one at 0 is never sent.
    private(set) var events: [JSONText] = [.emptyObject]
    private var resets: Set<Int> = []
    private var lastID = 0

    var newest: Int { versions.count - 1 }
    var rows: [Int] { versions[newest] }

    /// Whether any row may be another one from this `seq` on.
    func isReset(_ number: Int) -> Bool { resets.contains(number) }

    /// Makes a random change: some edits, a reset, or an event that isn't the list's.
    mutating func change(_ random: inout SplitMix) {
        switch random.number(below: 20) {
        case 0..<3: reset(&random)
        case 3..<5:
            versions.append(rows)
            events.append(JSONText { $0.literal(#"{"kind":"other"}"#) })
        default: edit(&random)
        }
    }

    /// Replaces the list by some of its rows in another order, and new ones.
    mutating func reset(_ random: inout SplitMix) {
        let kept = rows.filter { _ in random.chance(2) }.shuffled(using: &random)
        set(random.chance(6) ? [] : kept + new(random.number(below: 60)))
    }

    mutating func empty() { set([]) }

    private mutating func set(_ rows: [Int]) {
        resets.insert(newest + 1)
        add(rows, changes: nil, shown: rows.isEmpty ? nil : 0..<min(5, rows.count))
    }

    private mutating func edit(_ random: inout SplitMix) {
        var rows = rows
        let changes = (0..<1 + random.number(below: 3)).map { _ in
            let at = random.number(below: rows.count + 1)
            let removed = min(random.number(below: 5), rows.count - at)
            let inserted = random.number(below: 6)
            rows.replaceSubrange(at..<at + removed, with: new(inserted))
            return (at, removed, inserted)
        }
        let first = random.number(below: rows.count + 1)
        let shown = random.chance(2) ? first..<min(rows.count, first + random.number(below: 20)) : nil
        add(rows, changes: changes, shown: shown)
    }

    private mutating func new(_ count: Int) -> [Int] {
        lastID += count
        return Array(lastID - count..<lastID)
    }

    private mutating func add(
        _ rows: [Int], changes: [(at: Int, removed: Int, inserted: Int)]?, shown: Range<Int>?
    ) {
        versions.append(rows)
        let event = JSONText { writer in
            writer.beginObject()
            writer.key("kind")
            writer.string("rows")
            writer.key("count")
            writer.integer(rows.count)
            if let changes {
                writer.key("changes")
                writer.beginArray()
                for change in changes {
                    writer.beginObject()
                    writer.key("at")
                    writer.integer(change.at)
                    writer.key("removed")
                    writer.integer(change.removed)
                    writer.key("inserted")
                    writer.integer(change.inserted)
                    writer.endObject()
                }
                writer.endArray()
            }
            if let shown {
                writer.key("first")
                writer.integer(shown.lowerBound)
                Self.write(rows[shown], into: &writer)
            }
            writer.endObject()
        }
        events.append(event)
    }

    /// Returns the event at this `seq` for a view that wasn't sent some events before.
    func withoutChanges(_ number: Int) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"kind":"rows","count":"#)
            writer.integer(versions[number].count)
            writer.endObject()
        }
    }

    /// Returns the list's event in a snapshot, in an array; the array is empty for an empty list.
    func snapshot() -> JSONText {
        JSONText { writer in
            writer.beginArray()
            if !rows.isEmpty {
                writer.beginObject()
                writer.key("kind")
                writer.string("rows")
                writer.key("count")
                writer.integer(rows.count)
                writer.key("first")
                writer.integer(0)
                Self.write(rows.prefix(5), into: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// Returns the result of `session/rows` at this `seq`.
    func page(at number: Int, first: Int, count: Int) -> JSONText {
        let rows = versions[number]
        let start = min(first, rows.count)
        return JSONText { writer in
            writer.beginObject()
            writer.key("seq")
            writer.integer(number)
            writer.key("count")
            writer.integer(rows.count)
            writer.key("first")
            writer.integer(start)
            Self.write(rows[start..<min(rows.count, start + count)], into: &writer)
            writer.endObject()
        }
    }

    private static func write(_ rows: ArraySlice<Int>, into writer: inout JSONWriter) {
        writer.key("rows")
        writer.beginArray()
        for id in rows {
            writer.beginObject()
            writer.key("id")
            writer.integer(id)
            writer.endObject()
        }
        writer.endArray()
    }
}

/// A generator of numbers that look random and follow from a seed: SplitMix64 (Steele, Lea and Flood, 2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) {
        state = UInt64(bitPattern: Int64(seed))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func number(below bound: Int) -> Int { bound <= 1 ? 0 : Int.random(in: 0..<bound, using: &self) }

    /// Returns true with a probability of 1 in `times`.
    mutating func chance(_ times: Int) -> Bool { number(below: times) == 0 }
}
