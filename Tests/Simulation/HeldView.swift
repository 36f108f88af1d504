/// A session as one client holds it, over all of its connections.
final class HeldView {
    /// A numbered event whose answer hasn't come.
    struct Pending {
        var number: Int
        var tag: Int
        /// The event's JSON text.
        var text: String
        var deed: Act.Deed
    }

    let kind: ModelKind
    /// The view model's name in the truth; nil for one that another view model has shown.
    let name: String?
    /// It carries the client's name, by which its events are numbered.
    let isNamed: Bool
    /// Of the opening, which is sent again as it was; nil where the session was made otherwise.
    var opening: String?
    /// The opening has `once`, so it may be sent again.
    var isRepeatable = false
    /// How many view models its opening may have made: one more each time that it stayed away for too long.
    var mostMade = 1
    /// "make" or "start".
    var fails: String?
    var key: String?
    /// The view's number on this connection, from the answer on.
    var number: Int?
    /// When it was last asked for or held.
    var lastHere = Duration.zero
    /// Navigation may have ended it.
    var wasTakenOff: Bool { kind == .screen }
    /// An opening or an attachment is on its way.
    var isArriving = false
    /// Of these, an opening.
    var isOpening = false
    /// It isn't attached by itself any more.
    var isLeft = false
    var isGone = false
    /// The newest number that came.
    var seq = 0
    /// The newest event that came; nil where that isn't known.
    var event: Int? = 0
    /// The next attachment asks for a snapshot.
    var needsSnapshot = false
    var pending: [Pending] = []
    var lastNumber = 0
    /// The highest that was answered, and is taken.
    var lastAnswered = 0
    /// A number was refused: those behind it are sent again when all answers are there.
    var needsResending = false
    /// Not before this time.
    var resendTime = Duration.zero
    /// Where the next numbered event stands in the order of sending.
    var lastOrder = 0

    init(kind: ModelKind, name: String?, isNamed: Bool) {
        self.kind = kind
        self.name = name
        self.isNamed = isNamed
    }

    /// Its client wants to have a view of it, or waits for answers.
    var isUnfinished: Bool { !isGone && !isLeft && (number == nil || !pending.isEmpty) }

    var label: String { "\(key ?? name ?? "a child")(\(kind))" }
}
