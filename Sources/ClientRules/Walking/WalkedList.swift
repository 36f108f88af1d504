import JSON

/// The list of a made-up view model: what it is at each number, and what is told of it.
struct WalkedList {
    /// The ids of the rows at each number.
    private(set) var versions: [[Int]] = [[]]
    /// The event of each number; that of 0 is never told.
    private(set) var events: [JSONText] = [.emptyObject]
    private var resets: Set<Int> = []
    private var lastID = 0

    var newest: Int { versions.count - 1 }
    var rows: [Int] { versions[newest] }

    /// Whether all rows are others from this number on.
    func isReset(_ number: Int) -> Bool { resets.contains(number) }

    /// Some edits, a list that is another one, or an event of something else.
    mutating func change(_ random: inout SplitMix) {
        switch random.number(below: 20) {
        case 0..<3: reset(&random)
        case 3..<5:
            versions.append(rows)
            events.append(JSONText { $0.literal(#"{"kind":"other"}"#) })
        default: edit(&random)
        }
    }

    /// Any row may be another, or at another place.
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

    /// The event for a view that wasn't given some events before this number.
    func withoutChanges(_ number: Int) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"kind":"rows","count":"#)
            writer.integer(versions[number].count)
            writer.endObject()
        }
    }

    /// The list's event in a snapshot; a list of which it says nothing is empty.
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

    /// The result of `session/rows`.
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

/// Numbers that look random, the same for each seed: SplitMix64 (Steele, Lea and Flood, 2014).
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

    /// True once in so many times.
    mutating func chance(_ times: Int) -> Bool { number(below: times) == 0 }
}
