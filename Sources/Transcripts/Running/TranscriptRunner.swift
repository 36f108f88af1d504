package import Transport

/// Plays a transcript over streams: has a `Player`, does what it says, and tells it what comes.
///
/// Confined to its loop, and there until it has told its outcome. Connections of a client that is played are opened by the
/// transcript; those of a server are handed over with `accept`.
package final class TranscriptRunner {
    /// Opens the connection with this number, and calls back with a stream of the runner's loop that isn't started.
    package typealias Connect = (Int, @escaping (Result<any ByteStream, any Error>) -> Void) -> Void

    enum Phase: Equatable {
        case playing
        /// All is sent and has come; the other side's ends are waited for.
        case finished
        /// It is known how it ended; what is unsent still goes out.
        case closing(TranscriptOutcome)
        case done
    }

    /// What is unsent when a play has failed goes out within this time.
    private static let closingGrace = Duration.seconds(1)

    let loop: EventLoop
    let options: Options
    private let connect: Connect?
    private let beginning = ContinuousClock.now
    private var completion: ((TranscriptOutcome) -> Void)?
    var player: Player
    private(set) var phase = Phase.playing
    private(set) var connections: [Int: PlayedConnection] = [:]
    private var acceptedConnections = 0
    /// Lines of both sides that held something.
    var messages = 0
    /// The player looks at the end of a connection now.
    var isTakingEnd = false

    /// The player has nothing to do until this time, in milliseconds.
    var wait: Int?
    var isTimePassing = false
    private var waitTimer: LoopTimer?
    private var closingTimer: LoopTimer?
    private(set) lazy var silence = SilenceTimer(loop) { [weak self] in self?.didHearNothing() }

    /// On the loop only.
    ///
    /// - Parameter connect: for a client that is played.
    package init(_ reader: TranscriptReader, _ options: Options, on loop: EventLoop, connect: Connect? = nil) {
        loop.preconditionIsCurrent()
        var options = options
        // In the other side's own time there is no waiting.
        if options.clock != nil { (options.player.isPaced, options.player.stampsTimes) = (true, true) }
        self.loop = loop
        self.options = options
        self.connect = connect
        player = Player(reader, options.player)
    }

    /// Once, on the loop. `completion` is called there.
    package func begin(_ completion: @escaping (TranscriptOutcome) -> Void) {
        self.completion = completion
        let bound = LoopBound(self, loop: loop)
        options.clock?.onSleep { [loop] in loop.execute { bound.value.letTimePass() } }
        take { (player) throws(TranscriptError) in try player.advance(to: 0) }
    }

    /// A client under test has connected; its number is the next one. On the loop only.
    package func accept(_ stream: any ByteStream) {
        guard phase == .playing || phase == .finished else { return stream.close() }
        acceptedConnections += 1
        connection(acceptedConnections).begin(stream)
    }

    /// Takes what has come and no more: the clients are about to be gone, for this reason. On the loop only.
    package func stop(_ reason: String) {
        for connection in connections.values.sorted(by: { $0.number < $1.number }) { connection.readAvailable() }
        if phase == .finished { return pass() }
        guard phase == .playing else { return }
        let next = (try? player.receiveNothing())?.lazy.compactMap(\.failure).first
        end(.interrupted(reason + (next.map { "; line \($0.line) was expected next" } ?? "")))
    }

    /// Does what the player answers to a step.
    func take(_ step: (inout Player) throws(TranscriptError) -> [Player.Action]) {
        do throws(TranscriptError) {
            let actions = try step(&player)
            for action in actions { perform(action) }
            endIfNobodyCanBeNext()
        } catch {
            end(.broken(error))
        }
        letTimePass()
        silence.watch(patience)
    }

    private func perform(_ action: Player.Action) {
        guard phase == .playing || phase == .finished else { return }
        switch action {
        case .connect(let number): open(number)
        case .send(let content, let number):
            guard canConnect(number) else { return }
            messages += 1
            connection(number).send(content)
        case .end(let number): if canConnect(number) { endOutput(of: connection(number)) }
        case .wait(let time): wait(until: time)
        case .fail(let failure): end(.failed(failure, byEnding: isTakingEnd))
        case .finish: didFinish()
        }
    }

    private func endOutput(of connection: PlayedConnection) {
        // A server that has ended is gone, and its client waits for that before it ends itself.
        if options.player.side == .server, !player.expectsMessages(on: connection.number) {
            connection.finish()
        } else {
            connection.send(.end)
        }
    }

    private func connection(_ number: Int) -> PlayedConnection {
        if let connection = connections[number] { return connection }
        let connection = PlayedConnection(number, framing: options.framing, runner: self)
        connections[number] = connection
        return connection
    }

    private func open(_ number: Int) {
        let connection = connection(number)
        connect?(number) { [self] result in
            switch result {
            case .success(let stream):
                guard !connection.isClosed else { return stream.close() }
                connection.begin(stream)
            case .failure(let error):
                connection.close()
                end(.interrupted("\(error)"))
            }
        }
    }

    /// False when there is no such connection, nor will be; then the play ends.
    private func canConnect(_ number: Int) -> Bool {
        guard options.hasOneConnection, number > 1 else { return true }
        let advice = "listen on a port or a Unix socket for more"
        end(.interrupted("the transcript goes on with connection \(number), and only one can be made here; \(advice)"))
        return false
    }

    private func endIfNobodyCanBeNext() {
        if phase == .playing, let number = player.nextConnection { _ = canConnect(number) }
    }

    private func wait(until time: Int) {
        wait = time
        guard options.clock == nil else { return }
        waitTimer?.cancel()
        let bound = LoopBound(self, loop: loop)
        waitTimer = loop.schedule(after: .milliseconds(time) - (.now - beginning)) { bound.value.goOn() }
    }

    private func goOn() {
        wait = nil
        silence.hear()
        advance()
    }

    func advance() {
        let time = options.clock?.now.offset ?? (.now - beginning)
        take { (player) throws(TranscriptError) in try player.advance(to: time.wholeMilliseconds) }
    }

    private func didFinish() {
        phase = .finished
        for connection in connections.values.sorted(by: { $0.number < $1.number }) {
            if options.player.side == .client {
                connection.send(.end)
            } else if connection.hasInputEnded {
                connection.finish()
            }
        }
        endIfAllHaveEnded()
    }

    func endIfAllHaveEnded() {
        guard phase == .finished, connections.values.allSatisfy(\.hasInputEnded) else { return }
        pass()
    }

    func pass() {
        end(.passed(messages: messages, updated: options.player.isUpdating ? player.updated() : []))
    }

    /// The outcome is this, unless there is one.
    private func end(_ outcome: TranscriptOutcome) {
        guard phase == .playing || phase == .finished else { return }
        phase = .closing(outcome)
        silence.stop()
        waitTimer?.cancel()
        options.clock?.onSleep(nil)
        for connection in connections.values { connection.finish() }
        let bound = LoopBound(self, loop: loop)
        closingTimer = loop.schedule(after: Self.closingGrace) { bound.value.complete() }
        completeIfClosed()
    }

    func completeIfClosed() {
        if connections.values.allSatisfy(\.isClosed) { complete() }
    }

    private func complete() {
        guard case .closing(let outcome) = phase else { return }
        phase = .done
        closingTimer?.cancel()
        for connection in connections.values { connection.close() }
        connections = [:]
        completion?(outcome)
        completion = nil
    }
}

extension Player.Action {
    fileprivate var failure: PlayerFailure? {
        if case .fail(let failure) = self { failure } else { nil }
    }
}
