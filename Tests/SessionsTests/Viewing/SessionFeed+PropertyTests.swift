import TestSupport
import Testing

@testable import Sessions

/// The log and its views against the plainest possible model of them, in random histories.
@Suite(.inTurn) struct SessionFeedPropertyTests {
    private static let limits = Limits.with {
        $0.replayEvents = 20
        $0.replayBytes = 400
        $0.viewBytes = Int.max
    }

    @Test(arguments: 0..<10)
    func `views that come, lag, leave and come back get what the plain model says`(seed: Int) {
        var history = History(seed: seed, limits: Self.limits)
        for step in 0..<300 {
            history.step()
            if let fault = history.fault {
                Issue.record("seed \(seed), step \(step): \(fault)")
                return
            }
        }
        #expect(history.replayed > 3 && history.dropped > 3, "seed \(seed): too little happened")
    }
}

/// Keeps all that there ever was, and looks for each answer in all of it.
private struct PlainLog {
    struct Entry {
        let number: Int
        let key: String?
        let bytes: Int
        var isSuperseded = false
        var isKept = true
    }

    var entries: [Entry] = []
    /// How far each view has come, and whether it has fallen behind since it last had all.
    var views: [Int: (number: Int, isBehind: Bool)] = [:]
    var lost = 0

    func waiting(after number: Int) -> [Entry] { entries.filter { $0.isKept && $0.number > number } }

    mutating func append(key: String?, bytes: Int, _ limits: Limits) {
        if let key {
            for index in entries.indices where entries[index].key == key { entries[index].isSuperseded = true }
            drop()
        }
        entries.append(Entry(number: entries.count + 1, key: key, bytes: bytes))
        settle(limits)
    }

    /// Lets go of the entries that no view needs. A take does so only when no events wait for any view, or when its
    /// view was the one that kept the entries beyond the bounds.
    mutating func settle(afterTakeBeyond number: Int, _ limits: Limits) {
        noteWhoIsBehind()
        if views.values.allSatisfy({ waiting(after: $0.number).isEmpty }) {
            settle(limits)
        } else if let first = entries.first(where: \.isKept), first.number > number {
            trim(limits)
        }
    }

    mutating func noteWhoIsBehind() {
        for (id, view) in views {
            let waiting = waiting(after: view.number)
            let isTooMuch =
                waiting.count > ViewCursor.keepsUpCount
                || waiting.reduce(0) { $0 + $1.bytes } > ViewCursor.keepsUpBytes
            if isTooMuch { views[id]?.isBehind = true }
        }
    }

    mutating func settle(_ limits: Limits) {
        noteWhoIsBehind()
        drop()
        trim(limits)
    }

    private mutating func trim(_ limits: Limits) {
        let seen = views.values.map(\.number).min() ?? .max
        while true {
            let kept = entries.filter(\.isKept)
            let isOver = kept.count > limits.replayEvents || kept.reduce(0) { $0 + $1.bytes } > limits.replayBytes
            guard isOver, let first = kept.first, first.number <= seen else { return }
            entries[first.number - 1].isKept = false
            if !first.isSuperseded { lost = first.number }
        }
    }

    /// A superseded entry goes when every view that keeps up has seen it.
    private mutating func drop() {
        let seen = views.values.filter { !$0.isBehind }.map(\.number).min() ?? .max
        for index in entries.indices where entries[index].isSuperseded && entries[index].number <= seen {
            entries[index].isKept = false
        }
    }
}

private struct History {
    private let limits: Limits
    private var generator: SeededGenerator
    private var feed: SessionFeed
    private var plain = PlainLog()
    private let viewer = TestViewer()
    private(set) var fault: String?
    private(set) var replayed = 0
    private(set) var dropped = 0

    init(seed: Int, limits: Limits) {
        self.limits = limits
        generator = SeededGenerator(seed: seed)
        feed = SessionFeed(limits: SharedLimits(limits))
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<6: attach()
        case 6..<11: detach()
        case 11..<30: take()
        default: append()
        }
        compare()
    }

    private mutating func append() {
        // Now and then a burst, so that views fall behind.
        for _ in 0..<(generator.chance(2) ? 80 : 1) {
            let key = generator.chance(70) ? "key \(Int.random(in: 0..<5, using: &generator))" : nil
            let bytes = Int.random(in: 1...40, using: &generator)
            _ = feed.append(.event([UInt8](repeating: 0, count: bytes)), key: key, turn: 0)
            plain.append(key: key, bytes: bytes, limits)
        }
    }

    private mutating func attach() {
        let oldest = generator.chance(80) ? max(0, plain.entries.count - 60) : 0
        let since = Int.random(in: oldest...plain.entries.count, using: &generator)
        let canReplay = since >= plain.lost
        if feed.log.canReplay(after: since) != canReplay { fault = "replay from \(since) of \(plain.lost)" }
        guard canReplay, plain.views.count < 5 else { return }
        replayed += 1
        let id = feed.attach(viewer, number: 1, client: nil, after: since)
        plain.views[id] = (since, false)
        plain.noteWhoIsBehind()
    }

    private mutating func detach() {
        guard let id = plain.views.keys.sorted().randomElement(using: &generator) else { return }
        plain.views[id] = nil
        plain.settle(limits)
        if feed.detach(id) == nil { fault = "view \(id) wasn't there" }
    }

    private mutating func take() {
        guard let id = plain.views.keys.sorted().randomElement(using: &generator), let view = plain.views[id] else {
            return
        }
        let last =
            generator.chance(70) ? nil : Int.random(in: view.number...(view.number + 10), using: &generator)
        let all = plain.waiting(after: view.number)
        let expected = all.filter { $0.number <= last ?? .max }
        let delivery = feed.take(id, upTo: last, maximumBytes: .max)
        if delivery.events.map(\.number) != expected.map(\.number) {
            fault = "view \(id) took \(delivery.events.map(\.number)), not \(expected.map(\.number))"
        }
        var before = view.number
        for event in delivery.events {
            if (event.after ?? event.number - 1) != before { fault = "\(event.number) came after \(before)" }
            before = event.number
        }
        dropped += delivery.events.count { $0.after != nil }
        plain.views[id] = (before, view.isBehind && expected.count < all.count)
        plain.settle(afterTakeBeyond: view.number, limits)
    }

    private mutating func compare() {
        let kept = plain.entries.filter(\.isKept)
        if feed.log.count != kept.count { fault = "\(feed.log.count) entries are kept, not \(kept.count)" }
        if feed.log.keptBytes != kept.reduce(0, { $0 + $1.bytes }) { fault = "\(feed.log.keptBytes) bytes are kept" }
        if feed.log.oldest != plain.lost + 1 { fault = "oldest is \(feed.log.oldest)" }
        if feed.log.keys.count != Set(kept.filter { !$0.isSuperseded }.compactMap(\.key)).count {
            fault = "\(feed.log.keys.count) keys are known"
        }
        for (id, view) in plain.views {
            let bytes = plain.waiting(after: view.number).reduce(0) { $0 + $1.bytes }
            if let waiting = feed.views[id]?.cursor?.waitingBytes, waiting != bytes {
                fault = "\(waiting) bytes wait for view \(id), not \(bytes)"
            }
        }
    }
}
