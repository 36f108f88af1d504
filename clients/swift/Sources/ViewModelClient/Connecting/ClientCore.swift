import JSON
import JSONRPC
import Transport

/// A client, confined to its loop: it connects, comes back when the connection is lost, and brings its views along.
///
/// Whoever is elsewhere has a `Client`. A connection's stream keeps it until that is closed.
final class ClientCore {
    enum Phase {
        case idle
        /// On the way to an answer to `initialize`.
        case connecting
        case connected
        /// Until the backoff is over.
        case waiting
        /// Until the stream is closed and the program, where there is one, has ended.
        case ending(RemoteError?)
        case closed(RemoteError?)
    }

    let loop: EventLoop
    let target: ClientTarget
    let options: ClientOptions

    var phase = Phase.idle
    /// Nil without a connection.
    var stream: (any ByteStream)?
    /// Of this connection.
    var peer = Peer()
    /// Which attempt to connect this is: what an earlier one brings comes too late.
    var generation = 0
    /// Attempts since the last connection.
    var attempts = 0
    var program: ProgramState?
    /// What the server said last; nil before it was reached once.
    var server: ServerDescription?

    /// Sent on this connection, and not answered.
    var calls: [RequestID: Call] = [:]
    /// To be sent once there is a connection.
    var waitingCalls: [Call] = []
    /// The length of a message that the server wouldn't take, and that wasn't sent.
    var refusedBytes: Int?
    var progress: [Int: @Sendable (JSONText) -> Void] = [:]

    var lastView = 0
    var views: [Int: ViewRecord] = [:]
    /// Those that are attached, by their numbers on this connection.
    var attached: [Int: ViewRecord] = [:]

    var whenConnected: [(Result<ServerDescription, any Error>) -> Void] = []
    private var whenClosed: [() -> Void] = []
    private var timer: Task<Void, Never>?
    private var timerNumber = 0

    init(_ target: ClientTarget, _ options: ClientOptions, on loop: EventLoop) {
        self.target = target
        self.options = options
        self.loop = loop
    }

    var isConnected: Bool { if case .connected = phase { true } else { false } }

    /// What whoever asks now is told; nil while it makes sense to ask.
    var end: RemoteError? {
        switch phase {
        case .ending(let error), .closed(let error): error ?? .closed
        default: nil
        }
    }

    func tell(_ news: ClientNews) {
        options.receive(news)
    }

    /// - Parameter action: called once, at once when it is closed already.
    func onClose(_ action: @escaping () -> Void) {
        if case .closed = phase { action() } else { whenClosed.append(action) }
    }

    /// Ends in good order: the server ends the sessions that nobody else holds.
    func close() {
        switch phase {
        case .ending, .closed: return
        case .connected: shutDown()
        case .idle, .connecting, .waiting:
            dropStream()
            end(because: nil)
        }
    }

    private func shutDown() {
        failAll(.closed)
        phase = .ending(nil)
        // A server that doesn't answer is left all the same.
        setTimer(min(options.patience, .seconds(5))) { $0.stream?.close() }
        send(
            Call(MethodNames.shutdown) { [weak self] _ in
                guard let self, let stream else { return }
                peer.notify(MethodNames.exit, for: self) { _ in }
                stream.finish()
            })
    }

    /// Ends for good, once the stream and the program are gone.
    func end(because error: RemoteError?) {
        cancelTimer()
        phase = .ending(error)
        finishIfGone()
    }

    func finishIfGone() {
        guard case .ending(let error) = phase, stream == nil, program?.isRunning != true else { return }
        cancelTimer()
        let end = error.map { program?.explain($0) ?? $0 }
        phase = .closed(end)
        failAll(end ?? .closed)
        tell(.state(.closed(end)))
        let actions = whenClosed
        whenClosed = []
        for action in actions { action() }
    }

    /// Nobody waits for anything any more.
    private func failAll(_ error: RemoteError) {
        let connecting = whenConnected
        whenConnected = []
        for action in connecting { action(.failure(error)) }
        for record in views.values.sorted(by: { $0.id < $1.id }) { end(record, error) }
        let unanswered = calls.sorted { $0.value.ticket < $1.value.ticket }.map(\.value) + waitingCalls
        calls = [:]
        waitingCalls = []
        progress = [:]
        for call in unanswered { call.reply(.failure(error)) }
    }

    /// The one thing that is done after a time.
    func setTimer(_ delay: Duration, _ action: @escaping @Sendable (ClientCore) -> Void) {
        cancelTimer()
        let number = timerNumber
        let bound = LoopBound(self, loop: loop)
        timer = Task { [clock = options.clock, loop] in
            do {
                try await clock.sleep(for: delay)
            } catch {
                return
            }
            loop.execute { if bound.value.timerNumber == number { action(bound.value) } }
        }
    }

    func cancelTimer() {
        timer?.cancel()
        timer = nil
        timerNumber += 1
    }
}
