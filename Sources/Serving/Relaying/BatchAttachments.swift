import JSONRPC
import ViewModelProtocol

/// The rule for attachments in a client's batches that are relayed to the client's process. The process is asked for one
/// after the other in each batch, so that none is asked for whose answer has no room in the batch. A value.
struct BatchAttachments<Attachment> {
    enum Verdict {
        case goes
        /// The attachment waits until `end` returns it. No message behind it is taken meanwhile, so at most one waits.
        case waits
        case hasNoRoom
    }

    /// The batches that have an attachment whose answer hasn't come.
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

    /// Notes that an attachment is answered.
    ///
    /// - Returns: the attachment that has waited for the answer.
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
