import Queues

/// What has come on a channel and its stream hasn't delivered.
///
/// The window bounds the pieces, for which no credit is given while they wait here, and the longest message bounds what
/// is put together of them.
struct LinkInput {
    /// Messages that were whole.
    private(set) var messageCount = 0
    /// Whether a message has begun, of what was put together.
    private(set) var isInMessage = false
    private var pieces = Deque<LinkPiece>()
    private var pieceBytes = 0
    private var message: [UInt8] = []
    /// For what left `pieces`; not given back yet.
    private var owed = 0

    /// Credit is given back in such steps.
    private let stepBytes: Int

    init(windowBytes: Int) {
        stepBytes = windowBytes / 4
    }

    enum Next: Equatable {
        case none
        /// A part that isn't the last was put to those before it.
        case part
        case message([UInt8])
        /// The message is longer than it may be.
        case tooLong
    }

    var isEmpty: Bool { pieces.isEmpty }
    var heldBytes: Int { pieceBytes + message.count }

    mutating func append(_ piece: LinkPiece) {
        pieceBytes += piece.bytes.count
        pieces.append(piece)
    }

    /// The next piece, of a message that isn't put together here.
    mutating func nextPiece() -> LinkPiece? {
        guard let piece = pieces.popFirst() else { return nil }
        pieceBytes -= piece.bytes.count
        owed += piece.cost
        isInMessage = !piece.isLast
        if piece.isLast { messageCount &+= 1 }
        return piece
    }

    /// Puts the next piece to those before it.
    mutating func next(maximumBytes: Int) -> Next {
        guard let piece = pieces.popFirst() else { return .none }
        pieceBytes -= piece.bytes.count
        owed += piece.cost
        guard piece.bytes.count <= maximumBytes - message.count else { return .tooLong }
        guard piece.isLast else {
            message.append(contentsOf: piece.bytes)
            isInMessage = true
            return .part
        }
        messageCount &+= 1
        guard isInMessage else { return .message(piece.bytes) }
        message.append(contentsOf: piece.bytes)
        let whole = message
        message = []
        isInMessage = false
        return .message(whole)
    }

    /// A piece that nobody wants any more.
    mutating func drop(_ piece: LinkPiece) {
        owed += piece.cost
    }

    /// Drops all that came.
    mutating func dropAll() {
        while let piece = pieces.popFirst() { owed += piece.cost }
        pieceBytes = 0
        message = []
        isInMessage = false
    }

    /// The credit to give back now; 0 while it isn't worth a frame.
    mutating func takeCredit() -> Int {
        guard owed >= stepBytes else { return 0 }
        defer { owed = 0 }
        return owed
    }
}
