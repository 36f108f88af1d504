import Queues

/// The output that waits, in order, while a client doesn't read.
///
/// Events aren't copied into it: an entry says up to which number a view's events come next, and they stay in the session's
/// log, once for all views, until there is room. An object, so that asking it whether it is empty, several times for each
/// message, isn't checked for exclusivity.
final class Outbox {
    enum Item {
        /// A whole message.
        case message([UInt8])
        /// The events of a view up to a number; `bytes` counts those that no item before covers.
        case events(view: Int, upTo: Int, bytes: Int)
        /// The client has detached this view, after the events before this item.
        case detach(view: Int)
    }

    private var items = Deque<Item>()
    private(set) var isEmpty = true
    /// The approximate memory of all items, without the events.
    private(set) var bytes = 0
    /// Bytes of the events that wait here, of all views together. Each session bounds its own view's.
    private(set) var eventBytes = 0

    func append(_ item: Item) {
        count(item, 1)
        items.append(item)
        isEmpty = false
    }

    var first: Item? { items.first }

    func removeFirst() {
        if let item = items.popFirst() { count(item, -1) }
        isEmpty = items.isEmpty
    }

    /// An item's place in the queue and the header of a message's array.
    private static let overheadBytes = 64

    private func count(_ item: Item, _ sign: Int) {
        bytes += sign * Self.overheadBytes
        switch item {
        case .message(let message): bytes += sign * message.count
        case .events(_, _, let bytes): eventBytes += sign * bytes
        case .detach: break
        }
    }
}
