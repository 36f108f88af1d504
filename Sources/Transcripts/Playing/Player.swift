/// Plays one side of a transcript and checks the other: a machine without I/O, the same for `replay` and `mock`.
///
/// Its owner calls one of the mutating functions for what happened and does what it returns, in order. After `fail` or
/// `finish` nothing more is returned, but a failure for what comes after `finish`. A transcript is read as it is needed, so
/// a function throws when a line of it is broken; then it has failed.
package struct Player {
    package struct Options: Sendable {
        /// The side that is played.
        package var side: TranscriptSide
        /// No line is played before its time `at`.
        package var isPaced = false
        /// What the other side really sends becomes what is expected of it; see `updated`.
        package var isUpdating = false
        /// When updating: what comes after the time of its line has the time at which it came, as `advance` told it last.
        package var stampsTimes = false
        /// Stands in for a token that was taken out of the transcript.
        package var token: String?
        /// Stands in for the process that the recorded client said it was.
        package var processID: Int?

        package init(side: TranscriptSide) {
            self.side = side
        }
    }

    package enum Action: Equatable, Sendable {
        /// A connection opens. Comes before anything else of it, when the client is played.
        case connect(Int)
        /// To be framed, or `unframed` and so sent as it stands; never `end`.
        case send(TranscriptEntry.Content, connection: Int)
        /// The side that is played sends no more on this connection.
        case end(connection: Int)
        /// Nothing is to be done before this time, in milliseconds; then `advance`.
        case wait(until: Int)
        case fail(PlayerFailure)
        /// All was played, and all that was expected has come. What comes now is a failure still.
        case finish
    }

    enum State {
        case running, failed, finished
    }

    let options: Options
    var script: Script
    /// What was really sent.
    var correlation: Correlation
    var bindings = Bindings()
    var state = State.running
    /// Connections on which the other side sends no more.
    var ended: Set<Int> = []
    /// Connections whose bytes without framing were taken out of the transcript.
    var redacted: Set<Int> = []
    /// When updating.
    var rewriting = Rewriting()
    var firstOwed = 0
    private var connected: Set<Int> = []
    private var connectedThrough = 0
    /// As the owner last told it.
    private(set) var time = 0
    /// The time that the owner knows to wait for.
    private var awaitedTime: Int?
    /// What was wrong with the file before anyone could be told.
    private var firstError: TranscriptError?

    package init(_ reader: TranscriptReader, _ options: Options) {
        self.options = options
        script = Script(reader, played: options.side, isUnbounded: options.isUpdating)
        correlation = Correlation(checked: options.side.opposite)
        do throws(TranscriptError) {
            try script.fill()
        } catch {
            firstError = error
        }
    }

    /// The time of the first line that isn't done, in milliseconds; nil when all are.
    package var frontier: Int? { script.first?.entry.at }

    /// The connection of that line.
    package var nextConnection: Int? { script.first?.entry.connection }

    /// Whether the other side has more to say on a connection than that it ends, as far as the transcript has been read.
    package func expectsMessages(on connection: Int) -> Bool {
        (script.start..<script.end).contains {
            script[$0].isExpected(from: options.side.opposite, on: connection) && script[$0].entry.content != .end
        }
    }

    /// - Parameter time: milliseconds since the play began; only a paced one looks at it.
    package mutating func advance(to time: Int) throws(TranscriptError) -> [Action] {
        self.time = time
        awaitedTime = nil
        return try proceed()
    }

    /// The other side sent something.
    package mutating func receive(
        _ content: TranscriptEntry.Content, on connection: Int
    ) throws(TranscriptError) -> [Action] {
        guard state != .failed else { return [] }
        try fill()
        if options.isUpdating {
            place(content, on: connection)
        } else {
            do throws(TranscriptError) {
                if let failure = try match(content, on: connection) { return fail(failure) }
            } catch {
                state = .failed
                throw error
            }
        }
        return try proceed()
    }

    /// Nothing has come for as long as the owner waits: a failure if something is expected. When updating, what hasn't come
    /// is expected no more.
    package mutating func receiveNothing() throws(TranscriptError) -> [Action] {
        guard state == .running else { return [] }
        try fill()
        if options.isUpdating { return try passQuiet() }
        guard let line = script.first, line.entry.from != options.side else { return [] }
        return fail(failure(at: line.index, "nothing came, and this was expected", expected: line.entry.content.text))
    }

    /// When updating, after `finish`: all lines behind the header as they are to be written. Those that stay as they were
    /// have their number still.
    package func updated() -> [TranscriptEntry] { rewriting.entries }

    mutating func fill() throws(TranscriptError) {
        do throws(TranscriptError) {
            if let firstError { throw firstError }
            try script.fill()
        } catch {
            state = .failed
            throw error
        }
    }

    mutating func fail(_ failure: PlayerFailure) -> [Action] {
        state = .failed
        return [.fail(failure)]
    }

    /// Does all that can be done now.
    mutating func proceed() throws(TranscriptError) -> [Action] {
        var actions: [Action] = []
        while state == .running {
            try fill()
            if options.isUpdating, let line = script.first, isPlayed(line), waitsForNewAnswer(before: line) {
                rewriting.endRun()
            }
            if options.isUpdating, !rewriting.mayPass(script.first, isPlayed: isPlayed(script.first)) {
                connectToExpected(&actions)
                findOwedAnswer()
                break
            }
            guard let line = script.first else {
                state = .finished
                actions.append(.finish)
                break
            }
            guard pass(line, &actions) else { break }
            _ = script.removeFirst()
            if options.isUpdating { rewriting.keep(line, isPlayed: isPlayed(line)) }
        }
        return actions
    }

    /// Plays the line, which is the first. False when it isn't time for that, or the line is expected and hasn't come.
    private mutating func pass(_ line: ScriptLine, _ actions: inout [Action]) -> Bool {
        connect(line.entry.connection, &actions)
        if line.isDone { return true }
        guard isPlayed(line) else {
            if ended.contains(line.entry.connection) { actions += fail(missing(line.index)) }
            return false
        }
        if options.isPaced, line.entry.at > time {
            wait(until: line.entry.at, &actions)
            return false
        }
        actions.append(send(line))
        script.markDone(line.index)
        return true
    }

    private func isPlayed(_ line: ScriptLine?) -> Bool { line?.entry.from == options.side }

    /// Opens the connections on which something may come.
    private mutating func connectToExpected(_ actions: inout [Action]) {
        connectedThrough = max(connectedThrough, script.start)
        while connectedThrough < script.nextPlayed {
            connect(script[connectedThrough].entry.connection, &actions)
            connectedThrough += 1
        }
    }

    private mutating func connect(_ connection: Int, _ actions: inout [Action]) {
        guard options.side == .client, connected.insert(connection).inserted else { return }
        actions.append(.connect(connection))
    }

    private mutating func wait(until time: Int, _ actions: inout [Action]) {
        guard awaitedTime != time else { return }
        awaitedTime = time
        actions.append(.wait(until: time))
    }
}
