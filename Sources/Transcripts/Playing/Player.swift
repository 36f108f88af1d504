/// Plays one side of a transcript and checks the other. Does no I/O, so that `replay` and `mock` share it.
///
/// The owner calls one of the mutating functions for each thing that happens, and performs the returned actions in order. After
/// `fail` no action follows; after `finish` only a `fail`, for content that comes too late. The transcript is read as the play
/// goes on, so each of these functions throws `TranscriptError` for an invalid line. Then the play has failed.
package struct Player {
    package struct Options: Sendable {
        /// The side that is played.
        package var side: TranscriptSide
        /// Whether a line is played at its time `at`, and not as soon as possible.
        package var isPaced = false
        /// Whether received content replaces the expected lines; see `updated()`.
        package var isUpdating = false
        /// Whether, in an update, content that comes later than the time of its line gets the time of the last `advance`.
        package var stampsTimes = false
        /// Whether the answer to `initialize` may come from a server with another name, version, limits and view models.
        package var takesAnyServer = false
        /// The token to send in place of a redacted one.
        package var token: String?
        /// The process id to send in place of the recorded client's.
        package var processID: Int?

        package init(side: TranscriptSide) {
            self.side = side
        }
    }

    package enum Action: Equatable, Sendable {
        /// Open a connection. When the client is played, this comes before any other action on the connection.
        case connect(Int)
        /// Send a message or text in a frame, or unframed bytes as they are. The content is never `.end`.
        case send(TranscriptEntry.Content, connection: Int)
        /// Send nothing more on this connection.
        case end(connection: Int)
        /// Call `advance` at this time, in milliseconds since the play began. Nothing is to be sent before.
        case wait(until: Int)
        case fail(PlayerFailure)
        /// Everything was sent, and everything expected has come. Content that comes from now on is still a failure.
        case finish
    }

    private enum State {
        case running, failed, finished
    }

    private var play: PlayState
    private var matcher = LineMatcher()
    /// The updater; nil unless the play updates its transcript.
    private var updater: LineUpdater?
    private var state = State.running
    private var connected: Set<Int> = []
    /// The index of the first line whose connection may not be open yet.
    private var connectedThrough = 0
    /// The time of the last `wait`; nil once that time has come.
    private var awaitedTime: Int?
    /// An error in the first lines, which the first call throws.
    private var firstError: TranscriptError?

    package init(_ reader: TranscriptReader, _ options: Options) {
        play = PlayState(reader, options)
        updater = options.isUpdating ? LineUpdater() : nil
        do throws(TranscriptError) {
            try play.window.fill()
        } catch {
            firstError = error
        }
    }

    /// The time of the first line that isn't done, in milliseconds; nil if all are done.
    package var frontier: Int? { play.window.first?.entry.at }

    /// The connection of the first line that isn't done; nil if all are done.
    package var nextConnection: Int? { play.window.first?.entry.connection }

    /// Whether anything but the connection's end is expected on it, as far as the transcript has been read.
    package func expectsMessages(on connection: Int) -> Bool {
        (play.window.start..<play.window.end).contains {
            let line = play.window[$0]
            return line.isExpected(from: play.checkedSide, on: connection) && line.entry.content != .end
        }
    }

    /// Whether, in an update, an answer is still to come, so that the owner should wait longer before `receiveNothing`.
    package var isOwedAnAnswer: Bool {
        guard state == .running, let updater else { return false }
        return updater.isOwedAnAnswer(play)
    }

    /// Returns the entries of an updated transcript, after `finish`. Unchanged entries still have their line number.
    package func updated() -> [TranscriptEntry] { updater?.entries ?? [] }

    /// Plays all lines that are due.
    ///
    /// - Parameter time: milliseconds since the play began. Only a paced play depends on it.
    package mutating func advance(to time: Int) throws(TranscriptError) -> [Action] {
        play.time = time
        awaitedTime = nil
        return try proceed()
    }

    /// Takes content that the other side has sent.
    package mutating func receive(
        _ content: TranscriptEntry.Content, on connection: Int
    ) throws(TranscriptError) -> [Action] {
        guard state != .failed else { return [] }
        try fill()
        // After `finish`, the end of each connection is expected.
        if content == .end, state == .finished { return [] }
        if updater != nil {
            updater?.place(content, on: connection, in: &play)
        } else {
            do throws(TranscriptError) {
                if let failure = try matcher.match(content, on: connection, in: &play) { return fail(failure) }
            } catch {
                state = .failed
                throw error
            }
        }
        return try proceed()
    }

    /// Notes that nothing has come for as long as the owner waits. If something was expected, that is a failure; in an update,
    /// it isn't expected any more.
    package mutating func receiveNothing() throws(TranscriptError) -> [Action] {
        guard state == .running else { return [] }
        try fill()
        if updater != nil {
            updater?.passQuiet(&play)
            return try proceed()
        }
        guard let line = play.window.first, !play.isPlayed(line) else { return [] }
        return fail(
            play.failure(at: line.index, "nothing came, and this was expected", expected: line.entry.content.text))
    }

    private mutating func fill() throws(TranscriptError) {
        do throws(TranscriptError) {
            if let firstError { throw firstError }
            try play.window.fill()
        } catch {
            state = .failed
            throw error
        }
    }

    private mutating func fail(_ failure: PlayerFailure) -> [Action] {
        state = .failed
        return [.fail(failure)]
    }

    /// Plays lines until one must be waited for, and returns the actions.
    private mutating func proceed() throws(TranscriptError) -> [Action] {
        var actions: [Action] = []
        while state == .running {
            try fill()
            if updater?.mayPass(play) == false {
                connectToExpected(&actions)
                break
            }
            guard let line = play.window.first else {
                state = .finished
                actions.append(.finish)
                break
            }
            guard pass(line, &actions) else { break }
            // The line as it is now: it may just have been done.
            if let line = play.window.removeFirst() { updater?.keep(line, isPlayed: play.isPlayed(line)) }
        }
        return actions
    }

    /// Plays the first line, or checks whether it has come.
    ///
    /// - Returns: false if the line's time hasn't come, or the line is expected and hasn't come.
    private mutating func pass(_ line: TranscriptLine, _ actions: inout [Action]) -> Bool {
        connect(line.entry.connection, &actions)
        if line.isDone { return true }
        guard play.isPlayed(line) else {
            if play.ended.contains(line.entry.connection) { actions += fail(play.missing(line.index)) }
            return false
        }
        if play.options.isPaced, line.entry.at > play.time {
            wait(until: line.entry.at, &actions)
            return false
        }
        actions.append(send(line))
        play.window.markDone(line.index)
        return true
    }

    private mutating func send(_ line: TranscriptLine) -> Action {
        let connection = line.entry.connection
        if case .end = line.entry.content { return .end(connection: connection) }
        let content = substituted(line)
        for message in line.shape.messages where message.kind == .answer {
            if let id = message.id { play.bindings.ids.answer(id, on: connection) }
        }
        updater?.willSend(line, play)
        play.correlation.play(line.shape, line: line.index, on: connection)
        return .send(content, connection: connection)
    }

    /// Returns the content to send for a line. A function of its own, so that its copy of the bindings is released before they
    /// change; otherwise a change would copy them all.
    private func substituted(_ line: TranscriptLine) -> TranscriptEntry.Content {
        guard case .message(let message) = line.entry.content else { return line.entry.content }
        let connection = line.entry.connection
        var substitution = Substitution(
            options: play.options, connection: connection, hasMatchers: line.hasMatchers, bindings: play.bindings,
            isOwnRequest: { play.correlation.isWaiting($0, on: connection) })
        return .message(substitution.apply(to: message))
    }

    /// Opens the connections of the expected lines before the next played one.
    private mutating func connectToExpected(_ actions: inout [Action]) {
        connectedThrough = max(connectedThrough, play.window.start)
        while connectedThrough < play.window.nextPlayed {
            connect(play.window[connectedThrough].entry.connection, &actions)
            connectedThrough += 1
        }
    }

    private mutating func connect(_ connection: Int, _ actions: inout [Action]) {
        guard play.options.side == .client, connected.insert(connection).inserted else { return }
        actions.append(.connect(connection))
    }

    private mutating func wait(until time: Int, _ actions: inout [Action]) {
        guard awaitedTime != time else { return }
        awaitedTime = time
        actions.append(.wait(until: time))
    }
}
