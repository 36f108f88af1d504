package import JSONRPC
package import Transport

/// Plays a transcript over streams: performs the actions of a `Player`, and passes received content to it.
///
/// Confined to its loop, and retained until its outcome is known. If the client is played, the runner opens the connections; if
/// the server is played, `accept` hands them over.
package final class TranscriptRunner {
    package struct Options: Sendable {
        package var player: Player.Options
        /// The framing for connections on which the other side hasn't chosen one.
        package var framing = Framing.headers
        /// The longest silence while something is expected; nil for no limit.
        package var timeout: Duration? = .seconds(10)
        /// Whether only one connection can be made, as on standard input and output.
        package var hasOneConnection = false
        /// In an update, the silence after which expected lines other than answers aren't waited for any more.
        package var quietTime: Duration = .milliseconds(100)
        /// The clock for timeouts, and for the pace if there is no virtual clock.
        package var clock: any Clock<Duration> = ContinuousClock()
        /// The clock of the other side if that is in this process. The runner moves it by the times in the transcript.
        package var virtualClock: VirtualClock?

        package init(side: TranscriptSide) {
            player = Player.Options(side: side)
        }
    }

    /// Opens the connection with this number, and calls the completion with a stream on the runner's loop that isn't started.
    package typealias Connect = (Int, @escaping (Result<any ByteStream, any Error>) -> Void) -> Void

    private enum Phase {
        case playing
        /// Everything was sent and has come, but the other side hasn't ended all connections yet.
        case finished
        /// The outcome is known, and unsent output is still written.
        case closing(TranscriptOutcome)
        case done
    }

    /// The time that unsent output gets once the outcome is known.
    private static let closingGrace = Duration.seconds(1)

    private let loop: EventLoop
    private let options: Options
    private let connect: Connect?
    private var completion: ((TranscriptOutcome) -> Void)?
    private var player: Player
    private var phase = Phase.playing
    private var connections: [Int: PlayedConnection] = [:]
    private var acceptedConnections = 0
    /// The number of messages and other contents from both sides, without ends.
    private var messages = 0
    /// Whether the content that the player receives now is the end of a connection.
    private var isTakingEnd = false
    private var closingTimer: LoopTimer?
    private lazy var time = PlayTime(
        loop, clock: options.clock, virtualClock: options.virtualClock, horizon: { [weak self] in self?.horizon },
        didPass: { [weak self] in self?.timeDidPass() }, lineIsDue: { [weak self] in self?.lineIsDue($0) })
    private lazy var silence = SilenceTimer(loop, by: options.clock) { [weak self] in self?.didHearNothing() }

    /// Makes a runner. Must be called on the loop.
    ///
    /// - Parameter connect: opens the connections of a played client.
    package init(_ reader: TranscriptReader, _ options: Options, on loop: EventLoop, connect: Connect? = nil) {
        loop.preconditionIsCurrent()
        var options = options
        // By a virtual clock, pacing takes no real time.
        if options.virtualClock != nil { (options.player.isPaced, options.player.stampsTimes) = (true, true) }
        self.loop = loop
        self.options = options
        self.connect = connect
        player = Player(reader, options.player)
    }

    /// Begins the play. Must be called once, on the loop. `completion` is called there, once.
    package func begin(_ completion: @escaping (TranscriptOutcome) -> Void) {
        self.completion = completion
        silence.hear()
        take { (player) throws(TranscriptError) in try player.advance(to: 0) }
    }

    /// Takes over a connection of a client under test. Connections are numbered in the order of the calls. Must be called on
    /// the loop.
    package func accept(_ stream: any ByteStream) {
        guard isPlayingOrFinished else { return stream.close() }
        acceptedConnections += 1
        connection(acceptedConnections).begin(stream)
    }

    /// Ends the play early, once the content that has already arrived was taken. Must be called on the loop.
    ///
    /// - Parameter reason: the reason in the outcome, if anything was still expected.
    package func stop(_ reason: String) {
        for connection in orderedConnections { connection.readAvailable() }
        switch phase {
        case .playing:
            let next = (try? player.receiveNothing())?.lazy.compactMap(\.failure).first
            end(.interrupted(reason + (next.map { "; line \($0.line) was expected next" } ?? "")))
        case .finished: pass()
        case .closing, .done: break
        }
    }

    private var isPlaying: Bool { if case .playing = phase { true } else { false } }
    private var isFinished: Bool { if case .finished = phase { true } else { false } }
    private var isPlayingOrFinished: Bool { isPlaying || isFinished }

    private var orderedConnections: [PlayedConnection] { connections.values.sorted { $0.number < $1.number } }

    /// Lets the player take a step, and performs the actions that follow.
    private func take(_ step: (inout Player) throws(TranscriptError) -> [Player.Action]) {
        do throws(TranscriptError) {
            let actions = try step(&player)
            for action in actions { perform(action) }
            // If the next line needs a connection that can't be made, the play fails now.
            if isPlaying, let number = player.nextConnection { _ = canConnect(number) }
        } catch {
            end(.broken(error))
        }
        guard isPlayingOrFinished else { return }
        time.pass()
        silence.watch(patience)
    }

    private func perform(_ action: Player.Action) {
        guard isPlayingOrFinished else { return }
        switch action {
        case .connect(let number): open(number)
        case .send(let content, let number):
            guard canConnect(number) else { return }
            messages += 1
            connection(number).send(content)
        case .end(let number): if canConnect(number) { endOutput(of: connection(number)) }
        case .wait(let time): self.time.wait(until: time)
        case .fail(let failure): end(.failed(failure, byEnding: isTakingEnd))
        case .finish: didFinish()
        }
    }
}

// Connections: what the player does to them, and what comes on them.
extension TranscriptRunner {
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

    /// Whether a connection can be made, now or later. If not, ends the play.
    private func canConnect(_ number: Int) -> Bool {
        guard options.hasOneConnection, number > 1 else { return true }
        let advice = "listen on a port or a Unix socket for more"
        end(.interrupted("the transcript goes on with connection \(number), and only one can be made here; \(advice)"))
        return false
    }

    private func endOutput(of connection: PlayedConnection) {
        // A client may wait for the server to close the connection before it ends its own side.
        if options.player.side == .server, !player.expectsMessages(on: connection.number) {
            connection.finish()
        } else {
            connection.send(.end)
        }
    }

    /// Takes contents that came on a connection, which calls this.
    func receive(_ contents: [TranscriptEntry.Content], on connection: PlayedConnection) {
        silence.hear()
        for content in contents {
            guard isPlayingOrFinished else { return }
            if options.player.stampsTimes, options.player.isUpdating { advance() }
            receive(content, on: connection)
        }
        if options.player.isPaced, !time.isAwaited, isPlaying { advance() }
        passIfAllHaveEnded()
    }

    private func receive(_ content: TranscriptEntry.Content, on connection: PlayedConnection) {
        if content != .end { messages += 1 }
        isTakingEnd = content == .end
        defer { isTakingEnd = false }
        take { (player) throws(TranscriptError) in
            var actions = try player.receive(content, on: connection.number)
            for index in actions.indices {
                guard case .fail(var failure) = actions[index] else { continue }
                if connection.isUnframed {
                    failure.reason += "; what came is framed neither by headers nor by lines"
                }
                actions[index] = .fail(failure)
                if options.player.side == .server { connection.refuse(content, failure) }
            }
            return actions
        }
        // A client that ends its side after the last line needs nothing more.
        if content == .end, isFinished { connection.finish() }
    }

    /// Notes that a connection is closed; the connection calls this.
    func didClose(_ connection: PlayedConnection) {
        if case .closing = phase { completeIfClosed() }
    }
}

// Time: when lines are due, and silence.
extension TranscriptRunner {
    /// The time beyond which the virtual clock may not be moved: that of the first line that isn't done. After the last line
    /// there is no limit, as the other side may take its time to end.
    private var horizon: VirtualClock.Instant? {
        guard isPlayingOrFinished else { return nil }
        return .init(milliseconds: player.frontier ?? .max)
    }

    private func timeDidPass() {
        guard isPlayingOrFinished else { return }
        silence.hear()
        silence.watch(patience)
    }

    private func lineIsDue(_ milliseconds: Int) {
        silence.hear()
        take { (player) throws(TranscriptError) in try player.advance(to: milliseconds) }
    }

    private func advance() {
        take { (player) throws(TranscriptError) in try player.advance(to: time.milliseconds) }
    }

    /// The longest silence that is allowed now; nil for no limit.
    private var patience: Duration? {
        switch phase {
        case .playing where time.isAwaited || time.isPassing: nil
        case .playing where options.player.isUpdating && (!player.isOwedAnAnswer || time.hasSleeper): options.quietTime
        case .playing: options.timeout
        // A client may stay connected after the last line.
        case .finished: options.player.side == .client ? options.timeout : nil
        case .closing, .done: nil
        }
    }

    /// Handles a silence that was too long. On a busy machine, input that came in time, or the task that is to send it, may
    /// still wait for its turn; so everything is given a chance to settle first.
    private func didHearNothing() {
        let before = silence.lastHeard
        time.settle { [self] in
            if silence.lastHeard == before, !time.isPassing { endSilence() } else { silence.watch(patience) }
        }
    }

    private func endSilence() {
        if isFinished { return pass() }
        guard isPlaying else { return }
        silence.hear()
        if options.player.isUpdating, player.isOwedAnAnswer, time.hasSleeper {
            time.wakeNext()
            return silence.watch(patience)
        }
        take { (player) throws(TranscriptError) in
            try player.receiveNothing().map { action in
                guard case .fail(let failure) = action else { return action }
                return .fail(explained(failure))
            }
        }
    }

    /// Adds the timeout to a failure's reason, and the time at which a task that still sleeps on the virtual clock would wake.
    private func explained(_ failure: PlayerFailure) -> PlayerFailure {
        var failure = failure
        if let timeout = options.timeout { failure.reason += "; waited for \(timeout)" }
        guard let clock = options.virtualClock, let wake = clock.nextWake else { return failure }
        failure.reason += "; the clock stands at \(time.milliseconds) ms, "
        failure.reason += "and an \"at\" of \(wake.offset.wholeMilliseconds) would wake who sleeps on it"
        return failure
    }
}

// The end of a play.
extension TranscriptRunner {
    private func didFinish() {
        phase = .finished
        for connection in orderedConnections {
            if options.player.side == .client {
                connection.send(.end)
            } else if connection.hasInputEnded {
                connection.finish()
            }
        }
        passIfAllHaveEnded()
    }

    private func passIfAllHaveEnded() {
        if isFinished, connections.values.allSatisfy(\.hasInputEnded) { pass() }
    }

    private func pass() {
        end(.passed(messages: messages, updated: options.player.isUpdating ? player.updated() : []))
    }

    /// Ends the play with an outcome. Only the first outcome counts.
    private func end(_ outcome: TranscriptOutcome) {
        guard isPlayingOrFinished else { return }
        phase = .closing(outcome)
        silence.stop()
        time.stop()
        for connection in connections.values { connection.finish() }
        let bound = LoopBound(self, loop: loop)
        closingTimer = loop.schedule(after: Self.closingGrace) { bound.value.complete() }
        completeIfClosed()
    }

    private func completeIfClosed() {
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

extension TranscriptRunner {
    /// Plays a transcript on a loop of its own, which has ended when this returns.
    ///
    /// - Parameters:
    ///   - connect: called on the loop; returns the function that opens connections there.
    ///   - afterwards: called when the outcome is known, while the loop still runs.
    package static func run(
        _ path: String, _ options: Options,
        connect: @escaping @Sendable (EventLoop) -> Connect,
        afterwards: () async -> Void = {}
    ) async -> TranscriptOutcome {
        let loop: EventLoop
        do {
            loop = try EventLoop(name: "replay")
            try loop.start()
        } catch {
            return .interrupted("\(error)")
        }
        let outcome = await withCheckedContinuation { continuation in
            loop.execute {
                do throws(TranscriptError) {
                    let reader = try TranscriptReader(path: path)
                    TranscriptRunner(reader, options, on: loop, connect: connect(loop)).begin {
                        continuation.resume(returning: $0)
                    }
                } catch {
                    continuation.resume(returning: .broken(error))
                }
            }
        }
        await afterwards()
        loop.stop()
        await loop.join()
        return outcome
    }
}

extension Player.Action {
    fileprivate var failure: PlayerFailure? {
        if case .fail(let failure) = self { failure } else { nil }
    }
}
