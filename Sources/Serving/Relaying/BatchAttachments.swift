import JSONRPC
import ViewModelProtocol

/// The attachments in the batches of a client, which the process of the client is asked for one after the other: what has no room
/// among the answers isn't asked for. A value.
struct BatchAttachments<Attachment> {
    enum Verdict {
        case goes
        /// Until `end` gives it. No message behind it is taken meanwhile, so there is one such.
        case waits
        case hasNoRoom
    }

    /// The batches that have one that isn't answered.
    private var asked: Set<Int> = []
    private var next: (attachment: Attachment, batch: Int)?
    /// The newest batch whose answers had no room for one more.
    private(set) var full: Int?

    mutating func begin(_ attachment: Attachment, in batch: Int) -> Verdict {
        if batch == full { return .hasNoRoom }
        guard !asked.insert(batch).inserted else { return .goes }
        next = (attachment, batch)
        return .waits
    }

    mutating func didFill(_ batch: Int?) {
        full = batch
    }

    /// An attachment is answered.
    ///
    /// - Returns: the one that has waited for it.
    mutating func end(in batch: Int) -> Attachment? {
        guard let next, next.batch == batch else {
            asked.remove(batch)
            return nil
        }
        self.next = nil
        return next.attachment
    }
}

extension RPCError {
    static let noRoomInBatch = limitExceeded(
        "messageBytes", "the answers in this batch are longer than a message; send this in one of its own")
}
