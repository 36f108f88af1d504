import JSON
import JSONRPC
import Queues
import Sessions
import Transport
import ViewModelProtocol
import ViewModels

/// A session as a client of a shared one: of this server itself, in memory, which relays it where the shared session is on
/// another server. So it finds, attaches and numbers as every client does.
///
/// It opens the shared session by its name, and after a loss comes back by its key, or opens it again. Confined to the loop of
/// its session.
final class SharedClient {
    private enum State {
        /// There is no connection; the timer makes one.
        case waits
        /// The request for the view isn't answered.
        case opens
        case attached(ViewNumber)
        case closed
    }

    /// The most events that are unanswered at a time.
    private static let window = 32
    private static let firstDelay = Duration.milliseconds(50)
    private static let longestDelay = Duration.seconds(5)
    /// How long the first attachment may take, beyond what a search for the session takes. It ends a wait in a circle that
    /// nobody has noticed.
    private static let openingTime = Duration.seconds(30)

    private let core: ServerCore
    private let view: SharedView
    private let loop: EventLoop
    private let client: RelayedClient
    private var state = State.waits
    private var stream: MemoryStream?
    private var peer = Peer(frames: .init(messageBytes: 1 << 30))
    private var requests: [RequestID: (Response) -> Void] = [:]
    /// The events that have yet to be sent on this attachment.
    private var unsent = Deque<SharedSent>()
    /// The events that are sent and not answered, by the ids of their requests.
    private var inFlight: [RequestID: SharedSent] = [:]
    /// The highest number that was queued on this attachment.
    private var lastQueued = 0
    /// Whether an event was refused for now, so that all that are unanswered are sent again later.
    private var waitsToTryAgain = false
    /// Those who look, as the shared session was told on this attachment.
    private var toldViewers: [Client] = []
    private var delay = SharedClient.firstDelay
    private var deadline: Task<Void, Never>?
    /// The session, where it has ended and some of what it has sent isn't answered.
    private var finished: Session?

    init(_ view: SharedView, of client: RelayedClient, core: ServerCore, on loop: EventLoop) {
        (self.view, self.client, self.core, self.loop) = (view, client, core, loop)
    }

    private var bound: LoopBound<SharedClient> { LoopBound(self, loop: loop) }

    /// Begins to connect. Called once.
    func start() {
        let names = core.registry
        guard names.names.contains(view.viewModel) else {
            return fail(refusal("this server has no view model of this name that can be opened"))
        }
        let scope = core.scope(of: view.viewModel, hasPrincipal: client.principal != nil)
        if scope == .each {
            let reason =
                names.scope(of: view.viewModel) == .each
                ? "nobody shares its sessions: register it with the scope person or everyone"
                : "with --isolate its sessions can't be shared here, as each client's are in a process of its own"
            return fail(refusal(reason))
        }
        deadline = loop.schedule(after: core.takeoverTime + Self.openingTime, by: core.clock) { [loop, bound] in
            loop.execute {
                bound.value.fail(bound.value.refusal("its session wasn't opened in time"))
            }
        }
        connect()
    }

    private func refusal(_ reason: String) -> any Error { SharedError.refused(view.viewModel, reason) }

    /// Ends without having been attached.
    private func fail(_ error: any Error) {
        guard view.didFail(error) else { return }
        close()
    }

    /// Closes once everything that was sent is answered, or `openingTime` has passed.
    func close(finishing session: Session) {
        guard !isClosed else { return }
        finished = session
        deadline?.cancel()
        after(Self.openingTime) { $0.close() }
        resume()
        closeIfFinished()
    }

    private func closeIfFinished() {
        guard finished != nil else { return }
        switch state {
        case .attached where unsent.isEmpty && inFlight.isEmpty && !waitsToTryAgain: close()
        case .waits, .opens: if view.unanswered.isEmpty { close() }
        case .attached, .closed: break
        }
    }

    func close() {
        state = .closed
        finished = nil
        deadline?.cancel()
        disconnect()
    }

    private var isClosed: Bool { if case .closed = state { true } else { false } }

    private func disconnect() {
        let stream = stream
        self.stream = nil
        peer.isPaused = true
        stream?.handler = nil
        stream?.close()
        let lost = requests
        requests = [:]
        inFlight = [:]
        unsent = Deque()
        for (_, then) in lost { then(.lost) }
    }

    private func connect() {
        guard !isClosed, !core.isDraining else { return }
        let (near, far) = MemoryStream.pair(loop: loop)
        peer = Peer(frames: .init(messageBytes: 1 << 30))
        stream = near
        near.handler = self
        near.start()
        serve(far)
        open()
    }

    /// Serves the session as a client. It isn't among the server's connections, as it ends with its session.
    private func serve(_ stream: any ByteStream) {
        let connection = Connection(
            stream, core: core, isProcess: false, isPatient: true, relayed: client, onClose: { _ in })
        connection.didInitialize(client: nil, processID: nil, trace: .off)
        connection.stream.start()
    }

    /// Asks for the view.
    private func open() {
        guard let opening = view.opening else { return close() }
        state = .opens
        guard let key = opening.key else { return find(opening) }
        let params = SessionAttach.Params(
            key: key, since: opening.since.map { SequenceNumber($0) }, epoch: opening.epoch, client: opening.client)
        ask(SessionAttach.self, params) { [weak self] response in
            guard let self else { return }
            if case .error(let error) = response, error.code == .unknownSession { return find(opening) }
            didOpen(response, key: key)
        }
    }

    private func find(_ opening: SharedOpening) {
        let params = SessionOpen.Params(
            viewModel: view.viewModel, arguments: view.arguments, client: opening.client)
        ask(SessionOpen.self, params) { [weak self] in self?.didOpen($0, key: nil) }
    }

    private func didOpen(_ response: Response, key: String?) {
        guard !isClosed else { return }
        // Without a snapshot its events come from the first.
        let isFound = key == nil
        switch response {
        case .result(let result):
            guard let number = result.member("session")?.integer(as: Int.self),
                let key = key ?? result.member("key")?.string()
            else { return fail(refusal("the answer to its opening has no key")) }
            deadline?.cancel()
            delay = Self.firstDelay
            state = .attached(ViewNumber(number))
            lastQueued = 0
            toldViewers = []
            tellViewers()
            let snapshot = result.member("snapshot").map { Self.texts(in: $0) }
            let seq = snapshot == nil ? nil : result.member("seq")?.integer(as: Int.self)
            let attachment = SharedAttachment(
                key: key, epoch: result.member("epoch")?.string(), seq: seq ?? (isFound ? 0 : nil),
                handled: result.member("handled")?.integer(as: Int.self))
            send(view.didAttach(attachment, snapshot: snapshot))
            closeIfFinished()
        case .error(let error):
            // One that never was attached fails as its opening does.
            if !view.wasOpened, !error.isForNow { return fail(error.asFailure) }
            comeBack()
        // Whoever has disconnected sees to what follows.
        case .lost: break
        }
    }

    private static func texts(in events: JSONValue) -> [JSONText] {
        var texts: [JSONText] = []
        events.forEachElement { texts.append(JSONText($0)) }
        return texts
    }

    /// Connects again, after a pause.
    private func comeBack() {
        guard !isClosed else { return }
        disconnect()
        state = .waits
        let delay = delay
        self.delay = min(delay * 2, Self.longestDelay)
        after(delay) { $0.connect() }
    }

    private func after(_ delay: Duration, _ body: @escaping @Sendable (SharedClient) -> Void) {
        _ = loop.schedule(after: delay, by: core.clock) { [loop, bound] in loop.execute { body(bound.value) } }
    }
}

/// What it sends.
extension SharedClient {
    fileprivate enum Response {
        case result(JSONValue)
        case error(RPCError)
        /// The connection was lost before an answer.
        case lost
    }

    private func ask<Method: ClientMethod>(
        _ method: Method.Type, _ params: Method.Params, then: @escaping (Response) -> Void
    ) {
        let id = peer.ask(method, params, for: self)
        requests[id] = then
    }

    /// Queues events, unless they were queued on this attachment.
    func send(_ events: [SharedSent]) {
        guard case .attached = state else { return }
        for event in events where event.number > lastQueued {
            lastQueued = event.number
            unsent.append(event)
        }
        sendNext()
    }

    private func sendNext() {
        guard case .attached(let number) = state else { return }
        while !waitsToTryAgain, inFlight.count < Self.window, let event = unsent.popFirst() {
            guard let wireNumber = view.wireNumber(of: event) else { return close() }
            let id = peer.ask(ViewEvent.name, for: self) { writer in
                writer.key("session")
                writer.integer(number.rawValue)
                writer.key("event")
                writer.raw(event.event.bytes)
                writer.key("number")
                writer.integer(wireNumber)
                guard let sender = event.sender else { return }
                writer.key(SharedSender.member)
                sender.write(to: &writer)
            }
            inFlight[id] = event
            requests[id] = { [weak self] in self?.didAnswer(event, as: id, wireNumber, $0) }
        }
    }

    private func didAnswer(_ event: SharedSent, as id: RequestID, _ wireNumber: Int, _ response: Response) {
        inFlight[id] = nil
        switch response {
        case .result: view.didAnswer(wireNumber: wireNumber, nil)
        case .error(let error) where error.isForNow: tryAgainLater()
        // The session has ended, or goes on elsewhere: the view is about to be attached again.
        case .error(let error) where error.code == .unknownSession: break
        case .error(let error): view.didAnswer(wireNumber: wireNumber, error.asFailure)
        case .lost: return
        }
        sendNext()
        closeIfFinished()
    }

    /// Sends all that is unanswered again, after a pause, as the shared session takes nothing now.
    private func tryAgainLater() {
        guard !waitsToTryAgain else { return }
        waitsToTryAgain = true
        after(Self.firstDelay) { client in
            client.waitsToTryAgain = false
            guard case .attached = client.state else { return }
            client.lastQueued = 0
            client.unsent = Deque()
            client.send(client.view.unanswered)
        }
    }

    /// Tells the shared session who looks at this one, where that has changed.
    func tellViewers() {
        guard case .attached(let number) = state else { return }
        let viewers = view.viewers
        guard viewers != toldViewers else { return }
        toldViewers = viewers
        peer.notify(SharedViewers.method, for: self) { SharedViewers.write(viewers, of: number.rawValue, to: &$0) }
    }

    func read(_ request: RowsRequest, then: @escaping (Result<JSONText, any Error>) -> Void) {
        guard case .attached(let number) = state else { return then(.failure(RemoteFailure.unattached)) }
        let params = SessionRows.Params(
            session: number, list: request.list, first: Count(request.range.lowerBound),
            count: Count(request.range.count))
        ask(SessionRows.self, params) { response in then(response.text) }
    }

    /// Asks for a snapshot, by another view that is detached at once.
    func makeSnapshot(then: @escaping (Result<JSONText, any Error>) -> Void) {
        guard case .attached = state, let key = view.opening?.key else {
            return then(.failure(RemoteFailure.unattached))
        }
        ask(SessionAttach.self, SessionAttach.Params(key: key)) { [weak self] response in
            switch response {
            case .result(let result):
                if let self, let number = result.member("session")?.integer(as: Int.self) {
                    ask(SessionDetach.self, .init(session: ViewNumber(number))) { _ in }
                }
                then(.success(result.member("snapshot").map { JSONText($0) } ?? JSONText { $0.literal("[]") }))
            case .error, .lost: then(response.text)
            }
        }
    }

    func resume() {
        stream?.isReadingPaused = false
    }
}

/// What comes.
extension SharedClient: PeerHandler {
    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer) {
        stream?.write { FrameEncoder(.lines).append(message, to: &$0) }
    }

    func peer(_ peer: Peer, didReceive response: JSONRPC.Response, to id: RequestID) {
        guard let then = requests.removeValue(forKey: id) else { return }
        switch response {
        case .result(let value): then(.result(value))
        case .error(let value): then(.error(RPCError(remote: value)))
        }
    }

    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?) {
        guard case .attached(let number) = state, let params,
            params.member("session")?.integer(as: Int.self) == number.rawValue
        else { return }
        if method == SessionClosed.name {
            // Another life of the session has come: this one is about to learn that, and doesn't fight over the view.
            if params.member("reason")?.string() == "replaced" { return comeBack() }
            // Attached again at once, or found by its name, where it has ended.
            disconnect()
            state = .waits
            delay = Self.firstDelay
            return after(.zero) { $0.connect() }
        }
        guard let seq = params.member("seq")?.integer(as: Int.self) else { return }
        let event = method == ViewModelEvent.name ? params.member("event").map { JSONText($0) } : nil
        if !view.didReceive(event, seq: seq), finished == nil { stream?.isReadingPaused = true }
    }

    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call) {
        peer.answer(call, for: self) { $0.null() }
    }

    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID) {}
    func peerDidSendBatch(_ peer: Peer, _ batch: Int) {}
    func peer(_ peer: Peer, didIgnore reason: String) {}
    func peer(_ peer: Peer, didRefuse error: RPCError) {}
    func peerDidLoseFraming(_ peer: Peer) {}
}

extension SharedClient: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        peer.receive(bytes, for: self)
    }

    func streamDidReachEnd(_ stream: any ByteStream) { comeBack() }
    func streamDidSend(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didClose error: SystemError?) { comeBack() }
}

extension SharedClient.Response {
    fileprivate var text: Result<JSONText, any Error> {
        switch self {
        case .result(let value): .success(JSONText(value))
        case .error(let error): .failure(error.asFailure)
        case .lost: .failure(RemoteFailure.unattached)
        }
    }
}
