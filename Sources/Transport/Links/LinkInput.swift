import Queues

/// The data that has come on a channel and that its stream hasn't delivered.
///
/// The window bounds the pieces, as no credit is given for them while they wait here. The longest message bounds what is put
/// together from them.
struct LinkInput {
    /// The number of messages that were completed.
    private(set) var messageCount = 0
    /// Whether a message has begun among the pieces that were taken.
    private(set) var isInMessage = false
    private var pieces = Deque<LinkPiece>()
    private var pieceBytes = 0
    private var message: [UInt8] = []
    /// The credit for pieces that were taken, which isn't given back yet.
    private var owed = 0

    /// The least credit that is given back at a time.
    private let stepBytes: Int

    init(windowBytes: Int) {
        stepBytes = windowBytes / 4
    }

    enum Next: Equatable {
        case none
        /// The piece wasn't the last of its message, and was kept.
        case part
        case message([UInt8])
        /// The message is longer than is allowed.
        case tooLong
    }

    var isEmpty: Bool { pieces.isEmpty }
    var heldBytes: Int { pieceBytes + message.count }

    mutating func append(_ piece: LinkPiece) {
        pieceBytes += piece.bytes.count
        pieces.append(piece)
    }

    /// Takes the next piece, without putting messages together.
    mutating func nextPiece() -> LinkPiece? {
        guard let piece = pieces.popFirst() else { return nil }
        pieceBytes -= piece.bytes.count
        owed += piece.cost
        isInMessage = !piece.isLast
        if piece.isLast { messageCount &+= 1 }
        return piece
    }

    /// Takes the next piece, and adds it to the message that is put together.
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

    /// Counts a piece as taken that nobody wants any more.
    mutating func drop(_ piece: LinkPiece) {
        owed += piece.cost
    }

    /// Drops everything that has come.
    mutating func dropAll() {
        while let piece = pieces.popFirst() { owed += piece.cost }
        pieceBytes = 0
        message = []
        isInMessage = false
    }

    /// Takes the credit to give back now; 0 while it isn't worth a frame.
    mutating func takeCredit() -> Int {
        guard owed >= stepBytes else { return 0 }
        defer { owed = 0 }
        return owed
    }
}
