/// What a session's view model has sent, numbered from 1: the one place that events are kept, replayed and handed on from.
///
/// It keeps the newest events within its bounds, and older ones only as long as a view has yet to see them. Pure rules; its
/// `Session` guards it.
package struct SessionLog {
    /// An event as every view gets it.
    package struct Entry: Sendable {
        package let number: Int
        /// The JSON text of the event, made once and shared by all views.
        package let payload: [UInt8]
        /// Which uninterrupted stretch of the view model sent it; 0 where that isn't known.
        package let turn: UInt64
        /// All bytes that were ever appended up to and including this one.
        let end: Int
    }

    private var entries = FIFO<Entry>()
    private let maximumCount: Int
    private let maximumBytes: Int

    /// The number of the newest event; 0 before the first.
    package private(set) var newest = 0
    private(set) var bytes = 0

    package init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    /// The smallest number that is kept; one more than `newest` when none is.
    package var oldest: Int { newest - entries.count + 1 }

    package mutating func append(_ payload: [UInt8], turn: UInt64) {
        newest += 1
        bytes += payload.count
        entries.append(Entry(number: newest, payload: payload, turn: turn, end: bytes))
    }

    /// Lets go of what is beyond the bounds, but of nothing after `number`, which some view has yet to see.
    package mutating func trim(seenByAll number: Int) {
        while let first = entries.first, first.number <= number {
            let keptBytes = bytes - first.end + first.payload.count
            guard entries.count > maximumCount || keptBytes > maximumBytes else { return }
            _ = entries.popFirst()
        }
    }

    /// The event with this number, where it is kept.
    package subscript(number: Int) -> Entry? {
        entries[number - oldest]
    }

    /// Whether all events after `number` are kept.
    package func canReplay(after number: Int) -> Bool {
        number >= oldest - 1 && number <= newest
    }

    /// Whether the next event followed this one with nothing between.
    package func isFollowedAtOnce(_ entry: Entry) -> Bool {
        entry.turn != 0 && self[entry.number + 1]?.turn == entry.turn
    }
}
