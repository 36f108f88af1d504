import JSON
package import JSONRPC
import ViewModelProtocol

/// What a client is owed by the far side of a relay: answers, the ends of its sessions, and those of progress.
///
/// A value without I/O. It is shown each message in both directions, and reads of them no more than it must.
package struct RelayLedger {
    /// A request that isn't answered.
    struct Request {
        fileprivate enum Effect {
            case none
            case initializes
            /// Its result names a view.
            case attachesView
            case leaves(view: Int)
        }

        fileprivate let effect: Effect
        /// The batch that it came in.
        let batch: Int?
        /// Rises from request to request.
        fileprivate let order: Int
    }

    /// The answer to a request, or to a batch as a whole.
    package struct OwedAnswer {
        package fileprivate(set) var ids: [RequestID]
        package let isBatch: Bool

        func write(_ error: RPCError, to writer: inout JSONWriter) {
            if isBatch { writer.literal("[") }
            for (place, id) in ids.enumerated() {
                if place > 0 { writer.literal(",") }
                MessageEncoder.response(id, into: &writer, error: error)
            }
            if isBatch { writer.literal("]") }
        }
    }

    /// What is owed when the far side is lost.
    package struct Debts {
        /// In the order in which the requests came.
        package fileprivate(set) var answers: [OwedAnswer] = []
        /// Of progress that has begun.
        package fileprivate(set) var tokens: [RequestID] = []
        /// Views of sessions that were open, in the order of attachment.
        package fileprivate(set) var views: [Int] = []
        /// `initialize` is among the requests.
        package fileprivate(set) var includesInitialize = false
    }

    private let decoder: MessageDecoder
    /// Of a long message that comes back in pieces; nil for one of which nothing is to be known.
    private var outline: MessageOutline?
    private var requests: [RequestID: Request] = [:]
    private var views: Set<Int> = []
    private var tokens: Set<RequestID> = []
    private var lastOrder = 0
    private var lastBatch = 0
    /// The highest number of a view that the client was told.
    package private(set) var lastView = 0
    /// The client has sent `exit`, behind which nothing is read.
    package private(set) var hasExited = false

    package init(_ decoder: MessageDecoder) {
        self.decoder = decoder
    }

    package var owesAnswers: Bool { !requests.isEmpty }

    /// Whether the client has ever had a view.
    package var hasHadViews: Bool { lastView > 0 }

    /// Takes a message on its way to the far side.
    package mutating func didForward(_ content: MessageDecoder.Content) {
        switch content {
        case .message(let message): didForward(message, batch: nil)
        case .batch(let messages):
            lastBatch += 1
            for message in messages { didForward(message, batch: lastBatch) }
        case .unreadable: break
        }
    }

    private mutating func didForward(_ message: Message, batch: Int?) {
        switch message {
        case .request(let id, let method, let params):
            // One that is in flight already is refused under no id.
            guard requests[id] == nil else { return }
            lastOrder += 1
            requests[id] = Request(effect: Self.effect(of: method, params), batch: batch, order: lastOrder)
        case .notification(let method, _): if method == Exit.name { hasExited = true }
        case .cancellation, .response, .invalid: break
        }
    }

    private static func effect(of method: MethodName, _ params: JSONValue?) -> Request.Effect {
        if method == ViewEvent.name { return .none }
        if method == SessionOpen.name || method == SessionAttach.name { return .attachesView }
        if method == SessionDetach.name || method == SessionClose.name {
            let object = (try? Params(params))?.object
            return object?.member("session")?.shortInteger.map { .leaves(view: $0) } ?? .none
        }
        return method == Initialize.name ? .initializes : .none
    }

    /// Takes a message that has come back, or the next piece of one.
    ///
    /// - Returns: false where it is no message, as far as that is looked at: of a long one the outline is.
    package mutating func didReturn(_ piece: MessagePiece) -> Bool {
        guard !piece.isWhole else { return didReturn(piece.bytes) }
        if piece.isFirst {
            outline = Self.isEvent(piece.bytes) ? nil : MessageOutline(maximumStringBytes: decoder.maximumIDBytes)
        }
        outline?.append(piece.bytes)
        guard piece.isLast, let text = outline?.text else { return true }
        outline = nil
        return text.withUnsafeBytes { didReturn($0) }
    }

    /// Takes a message that has come back.
    ///
    /// - Returns: false where it is no message.
    package mutating func didReturn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if Self.isEvent(bytes) { return true }
        switch decoder.decode(bytes) {
        case .message(let message): return didReturn(message)
        case .batch(let messages): return messages.allSatisfy { didReturn($0) }
        case .unreadable: return false
        }
    }

    /// Nearly all messages that no request waits for are events of view models, of which nothing is to be known.
    static func isEvent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let beginning: StaticString = #"{"jsonrpc":"2.0","method":"viewModel/event""#
        guard bytes.count > beginning.utf8CodeUnitCount else { return false }
        return beginning.withUTF8Buffer { bytes.prefix($0.count).elementsEqual($0) }
    }

    private mutating func didReturn(_ message: Message) -> Bool {
        switch message {
        case .response(let id?, let response):
            guard let request = requests.removeValue(forKey: id) else { return true }
            if case .result(let result) = response { didSucceed(request, result) }
            return true
        case .response(nil, _): return true
        case .notification(let method, let params):
            if let params { didReturn(method, params) }
            return true
        case .request, .cancellation, .invalid: return false
        }
    }

    private mutating func didSucceed(_ request: Request, _ result: JSONValue) {
        switch request.effect {
        case .attachesView:
            guard let view = result.member("session")?.shortInteger else { return }
            views.insert(view)
            lastView = max(lastView, view)
        case .leaves(let view): views.remove(view)
        case .none, .initializes: break
        }
    }

    private mutating func didReturn(_ method: MethodName, _ params: JSONValue) {
        if method == SessionClosed.name {
            if let view = params.member("session")?.shortInteger { views.remove(view) }
        } else if method == Progress.name, let token = params.member("token").flatMap({ RequestID($0) }) {
            let isEnd = params.member("value")?.member("kind")?.isString("end") ?? false
            if isEnd { tokens.remove(token) } else { tokens.insert(token) }
        }
    }

    /// The far side is lost: nothing of what it owed is known any more.
    package mutating func takeDebts() -> Debts {
        var debts = Debts(tokens: Array(tokens), views: views.sorted())
        var places: [Int: Int] = [:]
        for (id, request) in requests.sorted(by: { $0.value.order < $1.value.order }) {
            if case .initializes = request.effect { debts.includesInitialize = true }
            if let batch = request.batch, let place = places[batch] {
                debts.answers[place].ids.append(id)
            } else {
                if let batch = request.batch { places[batch] = debts.answers.count }
                debts.answers.append(OwedAnswer(ids: [id], isBatch: request.batch != nil))
            }
        }
        (requests, views, tokens, outline) = ([:], [], [], nil)
        return debts
    }
}

extension MessageDecoder.Content {
    /// Whether anything is answered to it.
    var isOwedAnAnswer: Bool {
        switch self {
        case .message(let message): message.isOwedAnAnswer
        case .batch(let messages): messages.contains { $0.isOwedAnAnswer }
        case .unreadable: true
        }
    }

    var setsTrace: Bool { isNotification(SetTrace.name) }

    var exits: Bool { isNotification(Exit.name) }

    private func isNotification(_ name: StaticString) -> Bool {
        if case .message(.notification(let method, _)) = self { method == name } else { false }
    }
}
