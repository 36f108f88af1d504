import JSONRPC
import Queues

/// The output that waits, in order, while a client doesn't read.
///
/// Events aren't copied into the outbox. An entry says up to which number a view's events come next; until there is room, the
/// events stay in the session's log, once for all views. A class, so that `isEmpty`, which is read several times for each
/// message, isn't checked for exclusivity.
final class Outbox {
    enum Item {
        /// A whole message.
        case message([UInt8])
        /// A message that is written piece by piece.
        case long(LongMessage)
        /// The events of a view up to a number; `bytes` counts those that no earlier item covers.
        case events(view: Int, upTo: Int, bytes: Int)
        /// A view is told which views its session has when this item's turn comes.
        case views(to: Int)
        /// The client has detached this view, after the events before this item.
        case detach(view: Int)
    }

    private var items = Deque<Item>()
    /// The message that is being written, before all items.
    private(set) var writing: LongWriting?
    private(set) var isEmpty = true
    /// The approximate memory of all items, without the events.
    private(set) var bytes = 0
    /// The bytes of the events that wait here, of all views together. Each session bounds those of each view.
    private(set) var eventBytes = 0
    /// The number of whole messages that wait, without events.
    private(set) var messageCount = 0

    func append(_ item: Item) {
        count(item, 1)
        items.append(item)
        isEmpty = false
    }

    var first: Item? { items.first }

    func removeFirst() {
        if let item = items.popFirst() { count(item, -1) }
        isEmpty = items.isEmpty && writing == nil
    }

    /// Begins a message that is written piece by piece. Must not be called while another one is written.
    func begin(_ message: LongWriting) {
        writing = message
        bytes += message.countedBytes
        isEmpty = false
    }

    /// Takes the next piece of the message that is being written; nil where there is none. Returns the message's length with
    /// its first piece, and whether the piece is the last.
    func nextPiece(atMost maximumBytes: Int) -> (bytes: ArraySlice<UInt8>, beginning: Int?, isLast: Bool)? {
        guard let beginning = writing.map({ $0.hasBegun ? nil : $0.count }),
            let bytes = writing?.next(atMost: maximumBytes)
        else { return nil }
        let isLast = writing?.isOver == true
        if isLast, let written = writing {
            self.bytes -= written.countedBytes
            writing = nil
            isEmpty = items.isEmpty
        }
        return (bytes, beginning, isLast)
    }

    /// The bytes that each item counts beside its text: its place in the queue and the header of the array.
    private static let overheadBytes = 64

    private func count(_ item: Item, _ sign: Int) {
        bytes += sign * Self.overheadBytes
        switch item {
        case .message(let message):
            bytes += sign * message.count
            messageCount += sign
        case .long(let message):
            bytes += sign * message.count
            messageCount += sign
        case .events(_, _, let bytes): eventBytes += sign * bytes
        case .views, .detach: break
        }
    }
}
