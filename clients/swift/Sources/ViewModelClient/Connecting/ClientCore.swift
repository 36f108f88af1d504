import JSON
import JSONRPC
import Transport
import ViewModelProtocol

/// The part of a client that is confined to its loop: it follows the rules of `ClientLife`, and passes messages to the views.
///
/// Other threads use it through `Client`. An open connection retains it.
final class ClientCore {
    typealias Connected = (Result<ServerDescription, any Error>) -> Void

    private static let retryDelay = Duration.seconds(1)

    let loop: EventLoop
    let target: ClientTarget
    let options: ClientOptions
    /// The server's last description of itself; nil before the server was reached for the first time.
    private(set) var server: ServerDescription?
    private(set) lazy var views = ClientViews(of: self)

    private var life: ClientLife
    private var connection: ServerConnection?
    private var requests = RequestQueue()
    private lazy var timer = ClientTimer(options.clock, on: loop)
    private var silence = SilenceWatch()
    /// The number of bytes that the server hadn't taken yet a second ago.
    private var unsentBytes = 0
    /// The timer that watches for silence, while anything is unanswered.
    private lazy var silenceTimer = ClientTimer(options.clock, on: loop)
    private var watchesSilence = false
    /// The timer for sending again what was refused because the server's store couldn't be used.
    private lazy var retryTimer = ClientTimer(options.clock, on: loop)
    private var waitsToTryAgain = false
    /// The timer that limits how long closing waits for answers to view events.
    private lazy var endTimer = ClientTimer(options.clock, on: loop)
    private var endsOnceAnswered = false
    private var whenConnected: [Connected] = []
    private var whenClosed: [() -> Void] = []

    init(_ target: ClientTarget, _ options: ClientOptions, on loop: EventLoop) {
        self.target = target
        self.options = options
        self.loop = loop
        life = ClientLife(target, backoff: options.backoff, patience: options.patience)
    }

    var isConnected: Bool { life.isConnected }

    /// The error for a request that is made now; nil while a request may still be answered.
    var end: RemoteError? { life.end }

    /// Begins to connect. Must be called once.
    ///
    /// - Parameter completion: called once, when the server was reached or can't be.
    func start(_ completion: @escaping Connected) {
        whenConnected.append(completion)
        perform(life.start())
    }

    /// Registers an action for the end of the client.
    ///
    /// - Parameter action: called once, when the connection and the program are gone; at once if they already are.
    func onClose(_ action: @escaping () -> Void) {
        if case .closed = life.state { action() } else { whenClosed.append(action) }
    }

    /// Shuts the connection down in good order. The server keeps the sessions to which a client can come back, and ends those
    /// that no other client holds.
    ///
    /// - Parameter patience: how long to wait first for the answers to view events.
    func close(waitingForAnswers patience: Duration = .zero) {
        guard patience > .zero, end == nil, hasUnansweredEvents else { return closeNow() }
        endsOnceAnswered = true
        endTimer.start(patience) { [weak self] in self?.closeNow() }
    }

    /// Notes that a view event is over.
    func didCompleteEvent() {
        if endsOnceAnswered, !hasUnansweredEvents { closeNow() }
    }

    private var hasUnansweredEvents: Bool { views.records.values.contains { !$0.events.isEmpty } }

    private func closeNow() {
        endsOnceAnswered = false
        endTimer.stop()
        perform(life.close())
    }
}

// Reports of the connection, which calls these functions.
extension ClientCore {
    func didOpen() {
        perform(life.didOpen())
    }

    func didLose(_ reason: String) {
        perform(life.didLose(reason))
    }

    func didEndProgram(_ words: String) {
        perform(life.didEndProgram(words))
    }

    /// Ends the client because the server has broken the protocol: connecting again wouldn't help.
    func violate(_ reason: String) {
        perform(life.didFail(.invalidMessage(reason)))
    }

    func take(_ response: Response, to id: RequestID) {
        guard let request = requests.takeAnswered(id) else { return }
        switch response {
        case .result(let value):
            do throws(RemoteError) {
                try request.answer(value)
            } catch {
                perform(life.didFail(error))
            }
        case .error(let value): request.fail(RemoteError(value))
        }
        checkStore()
    }

    /// Forgets the trouble with the store if nothing waits for it any more.
    private func checkStore() {
        if life.storeTrouble != nil, !waitsToTryAgain, !requests.hasUnanswered { didLearn(storeTrouble: nil) }
    }

    func take(_ notification: MethodName, _ params: JSONValue) {
        if notification == LogMessage.name {
            let type = params.member("type")?.integer(as: Int.self) ?? LogMessage.MessageType.log.rawValue
            options.receive(.log(type: type, params.member("message")?.string() ?? ""))
        } else {
            views.take(notification, params)
        }
    }
}

// The actions that the rules ask for.
extension ClientCore {
    private func perform(_ actions: [ClientLife.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: ClientLife.Action) {
        switch action {
        case .report(let state): options.receive(.state(state))
        case .open:
            let connection = ServerConnection(self)
            self.connection = connection
            connection.open(target, on: loop)
        case .initialize: initialize()
        case .resume: resume()
        case .disconnect(let reason): disconnect(reason)
        case .shutDown: shutDown()
        case .exit:
            connection?.notify(Exit.self, NoParams())
            connection?.finish()
        case .startTimer(let delay): timer.start(delay) { [weak self] in self?.didTimeOut() }
        case .stopTimer: timer.stop()
        case .fail(let error): failAll(error)
        case .finish:
            let actions = whenClosed
            whenClosed = []
            for action in actions { action() }
        }
    }

    private func didTimeOut() {
        perform(life.didTimeOut())
    }

    private func initialize() {
        let params = Initialize.Params(
            protocolVersion: ProtocolVersion.current.rawValue,
            clientInfo: ClientInfo(name: options.name, version: options.version), processId: Int(ThisProcess.id),
            token: options.token)
        send(ClientRequest(Initialize.self, params, loss: .isForgotten) { [weak self] in self?.didInitialize($0) })
    }

    private func didInitialize(_ result: Result<Initialize.Result, any Error>) {
        switch result {
        case .failure(let error): perform(life.didFail(error as? RemoteError ?? .unreachable("\(error)")))
        case .success(let result):
            server = ServerDescription(result)
            perform(life.didInitialize())
        }
    }

    private func resume() {
        guard let server else { return }
        connection?.notify(Initialized.self, NoParams())
        for completion in takeWhenConnected() { completion(.success(server)) }
        views.attachAgain()
        for request in requests.takeWaiting() { ask(request) }
    }

    private func disconnect(_ reason: String) {
        silenceTimer.stop()
        watchesSilence = false
        retryTimer.stop()
        waitsToTryAgain = false
        connection?.close()
        connection = nil
        for request in requests.didLoseConnection() {
            request.fail(request.isCancelled ? CancellationError() : RemoteError.connectionLost(reason))
        }
        views.didLoseConnection()
    }

    private func shutDown() {
        send(
            ClientRequest(Shutdown.self, NoParams(), loss: .isForgotten) { [weak self] (_: Result<Null, any Error>) in
                guard let self else { return }
                perform(life.didShutDown())
            })
    }

    private func failAll(_ error: RemoteError) {
        for completion in takeWhenConnected() { completion(.failure(error)) }
        views.end(error)
        for request in requests.takeAll() { request.fail(error) }
    }

    private func takeWhenConnected() -> [Connected] {
        defer { whenConnected = [] }
        return whenConnected
    }
}

// Requests to the server.
extension ClientCore {
    /// Sends the request now, or once there is a connection.
    func ask(_ request: ClientRequest) {
        if let end {
            request.fail(end)
        } else if isConnected {
            send(request)
        } else {
            requests.wait(request)
        }
    }

    /// Sends a request on the current connection.
    func send(_ request: ClientRequest) {
        guard let connection else { return request.fail(end ?? .closed) }
        do throws(RemoteError) {
            requests.didSend(request, as: try connection.send(request))
        } catch {
            return request.fail(error)
        }
        guard !watchesSilence, isConnected else { return }
        watchesSilence = true
        silence.begin()
        watchSilence()
    }

    private func watchSilence() {
        silenceTimer.start(SilenceWatch.interval) { [weak self] in self?.didWait() }
    }

    /// Checks whether the server is silent. Called every second while something is unanswered.
    private func didWait() {
        guard isConnected, requests.hasUnanswered else {
            watchesSilence = false
            return
        }
        watchSilence()
        // A long message on a slow link counts as a sign of life, since the server can't answer before it has all of it.
        let unsent = connection?.unsentBytes ?? 0
        if unsent < unsentBytes { didHear() }
        unsentBytes = unsent
        switch silence.didWait() {
        case .wait: break
        case .ping:
            send(
                ClientRequest(Ping.self, NoParams(), loss: .isForgotten) { [weak self] in
                    guard case .success(let answer) = $0 else { return }
                    self?.didLearn(storeTrouble: answer.value?.storeUnavailable)
                })
        case .giveUp: perform(life.didGrowSilent())
        }
    }

    /// Notes that bytes have come, or that the server has taken some.
    func didHear() {
        silence.didHear()
        if life.isSilent { perform(life.didHear()) }
    }

    private func didLearn(storeTrouble trouble: String?) {
        perform(life.didLearn(storeTrouble: trouble))
    }

    /// Notes that the server has refused something because its store can't be used, and schedules another attempt.
    func didRefuse(_ error: RemoteError) {
        guard isConnected else { return }
        didLearn(storeTrouble: "\(error)")
        tryAgainLater()
    }

    /// Schedules another attempt at what was refused for now.
    func tryAgainLater() {
        guard isConnected, !waitsToTryAgain else { return }
        waitsToTryAgain = true
        retryTimer.start(Self.retryDelay) { [weak self] in
            guard let self else { return }
            waitsToTryAgain = false
            views.tryAgain()
            checkStore()
        }
    }

    /// Gives up a request or a view event. If it is in flight, it is still answered, usually as cancelled.
    func cancel(_ ticket: Int) {
        switch requests.cancel(ticket) {
        case .unsent(let request): request.fail(CancellationError())
        case .inFlight(let id): connection?.notify(CancelRequest.self, CancelRequest.Params(id: id))
        case .unknown: views.cancelUnsent(ticket)
        }
    }
}
