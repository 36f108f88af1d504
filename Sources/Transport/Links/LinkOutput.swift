import Queues

/// A message of a channel, or a part of one, on its way between a channel's stream and the link.
struct LinkPiece: Sendable, Equatable {
    var bytes: [UInt8]
    var isLast: Bool

    var cost: Int { LinkFrame.cost(of: bytes.count) }
}

/// The data that a channel's stream has been given to send, and how much of it may be sent now.
struct LinkOutput {
    /// How much the other end's window still takes.
    private(set) var credit: Int
    private var unsent = UnsentBytes()
    /// The ends of messages, as byte counts from the beginning of the stream.
    private var ends = Deque<Int>()
    private var sentCount = 0

    init(windowBytes: Int) {
        credit = windowBytes
    }

    var byteCount: Int { unsent.count }
    /// Whether nothing waits. A message without bytes counts as waiting, too.
    var isEmpty: Bool { unsent.isEmpty && ends.isEmpty }

    mutating func addCredit(_ amount: Int) {
        credit += amount
    }

    /// Takes the buffer out for appending. See `UnsentBytes.takeBuffer`.
    mutating func takeBuffer(pool: inout BufferPool) -> [UInt8] { unsent.takeBuffer(pool: &pool) }

    mutating func giveBack(_ appended: consuming [UInt8], isLast: Bool) {
        unsent.giveBack(appended)
        if isLast { ends.append(sentCount + unsent.count) }
    }

    /// Takes everything that may be sent now off the front, cut into frames.
    mutating func takePieces(pool: inout BufferPool) -> [LinkPiece] {
        var pieces: [LinkPiece] = []
        var taken = 0
        while let piece = nextPiece(behind: taken) {
            taken += piece.bytes.count
            credit -= piece.cost
            if piece.isLast { _ = ends.popFirst() }
            pieces.append(piece)
        }
        if taken > 0 {
            unsent.drop(taken, pool: &pool)
            sentCount += taken
        }
        return pieces
    }

    private func nextPiece(behind taken: Int) -> LinkPiece? {
        let start = sentCount + taken
        let rest = (ends.first ?? (sentCount + unsent.count)) - start
        let count = min(rest, LinkFrame.maximumBytes, credit - LinkFrame.cost(of: 0))
        let isLast = ends.first != nil && count == rest
        guard count > 0 || (count == 0 && isLast) else { return nil }
        return LinkPiece(bytes: unsent.withUnsafeBytes { Array($0[taken..<(taken + count)]) }, isLast: isLast)
    }

    mutating func removeAll(pool: inout BufferPool) {
        sentCount += unsent.count
        unsent.removeAll(pool: &pool)
        ends = Deque()
    }
}
