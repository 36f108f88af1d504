import JSON
import JSONRPC
import Sessions
import ViewModelProtocol

/// A request by which a client gets a view of a session: `session/open` or `session/attach`.
struct ViewRequest: Sendable {
    let call: Call
    /// The client's name for itself.
    let client: String?
    /// The last number that the client has of the history with this epoch; nil for a new view.
    let since: Int?
    let epoch: String?
    /// Whether the request is a `session/open`, whose answer has the session's key.
    let isOpening: Bool
    /// The key with which the client may only look; nil where it may do everything.
    let readKey: String?
    /// Whether the client is told which views the session has.
    let isToldOfViews: Bool
    /// Handles the request again, on the connection's loop, where the session that an opening has found ends before the answer: the
    /// next one is made, or found. Nil where the session must be this one.
    var again: (@Sendable (Connection) throws(RPCError) -> Void)?

    /// - Parameter session: the session that the key finds.
    init(_ params: SessionAttach.Params, _ call: Call, to session: Session) {
        self.call = call
        (client, since, epoch) = (params.client, params.since?.rawValue, params.epoch)
        isOpening = false
        readKey = session.readKey(in: params.key)
        isToldOfViews = params.views ?? false
    }

    init(_ params: SessionOpen.Params, _ call: Call) {
        self.call = call
        client = params.client
        (since, epoch) = (nil, nil)
        isOpening = true
        readKey = nil
        isToldOfViews = params.views ?? false
    }

    /// The name under which the client numbers its view events; nil where it sends none.
    var numbering: String? { readKey == nil ? client : nil }
}

extension Connection {
    /// Answers a request with a session whose events follow from the first.
    ///
    /// - Parameters:
    ///   - number: the client's number for the view.
    ///   - isNew: whether the request has made the session.
    ///   - handled: the highest number taken from this client; nil when it has no name, or that isn't known any more.
    func answer(_ request: ViewRequest, opened session: Session, _ number: Int, isNew: Bool, handled: Int?) {
        let isFound = session.scope != .each
        let result = SessionOpen.Result(
            session: .init(number), key: .init(session.key), viewModel: session.viewModelName,
            epoch: .init(session.epochs.current), isNew: isFound ? isNew : nil,
            handled: isFound && !isNew ? handled.map { .init($0) } : nil)
        answer(Reply<SessionOpen>(request.call), result)
    }

    /// Answers a request with the state that a view of a running session begins with.
    ///
    /// - Parameter number: the client's number for the view.
    func answer(_ request: ViewRequest, _ session: Session, _ number: Int, _ attachment: Session.Attachment) {
        do throws(RPCError) {
            let result =
                request.isOpening
                ? try JSONText(result: SessionOpen.Result(session, number, attachment))
                : try JSONText(result: SessionAttach.Result(session, number, attachment, request))
            guard let snapshot = attachment.snapshot else { return answer(request.call, result: result) }
            answer(request.call, longResult: LongMessage(result, with: snapshot))
        } catch {
            answer(request.call, error: error)
        }
    }
}

extension LongMessage {
    /// The size in bytes from which on a snapshot is shared with other answers instead of copied.
    private static let sharedBytes = 64 << 10

    /// Puts a snapshot, which is encoded already, in place of the empty array that stands for it in a result.
    fileprivate init(_ result: JSONText, with snapshot: SharedText) {
        let whole = result.bytes
        // The first match is the result's own member: strings have their quotes escaped, and every value that has members of
        // its own comes later.
        let empty = Array(#","snapshot":[]"#.utf8)
        let place = whole.firstRange(of: empty) ?? whole.endIndex..<whole.endIndex
        self.init()
        append(Array(whole[..<place.upperBound].dropLast(2)))
        if snapshot.count < Self.sharedBytes {
            append(snapshot.bytes)
        } else {
            append(part: .shared(snapshot))
        }
        append(Array(whole[place.upperBound...]))
    }
}

extension SessionAttach.Result {
    /// Makes the result of an attachment, with an empty array in place of its snapshot.
    ///
    /// - Parameter number: the client's number for the view.
    fileprivate init(
        _ session: Session, _ number: Int, _ attachment: Session.Attachment, _ request: ViewRequest
    ) {
        self.init(
            session: .init(number), viewModel: session.viewModelName, seq: .init(attachment.newest),
            epoch: .init(session.epochs.current), snapshot: attachment.snapshot.map { _ in [] },
            handled: attachment.handled.map { .init($0) },
            navigation: .init(attachment.navigation, readKey: request.readKey),
            access: request.readKey == nil ? nil : .read)
    }
}

extension SessionOpen.Result {
    /// Makes the result of an opening that has found a session with events, with an empty array in place of its snapshot.
    ///
    /// - Parameter number: the client's number for the view.
    fileprivate init(_ session: Session, _ number: Int, _ attachment: Session.Attachment) {
        self.init(
            session: .init(number), key: .init(session.key), viewModel: session.viewModelName,
            epoch: .init(session.epochs.current), isNew: false, seq: .init(attachment.newest),
            snapshot: attachment.snapshot.map { _ in [] }, handled: attachment.handled.map { .init($0) },
            navigation: .init(attachment.navigation, readKey: nil))
    }
}

extension SessionAttach.NavigationState {
    /// Nil where nothing is on or over the session.
    fileprivate init?(_ navigation: HostNavigation, readKey: String?) {
        guard !navigation.isEmpty else { return nil }
        let child = { (child: NavigationChild) in
            SessionAttach.Child(viewModel: child.viewModel, key: .init(child.key(under: readKey)))
        }
        self.init(stack: navigation.stack.map(child), presented: navigation.presented.map(child))
    }
}

extension NavigationChild {
    /// Returns the key by which a client knows the child.
    ///
    /// - Parameter readKey: the key of readers that the client has attached to the host with; nil where it may do everything.
    func key(under readKey: String?) -> String {
        guard let readKey else { return key }
        return ReadKey.ofChild(key, under: readKey)
    }
}
