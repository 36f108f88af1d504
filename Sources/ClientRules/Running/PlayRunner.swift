import JSON
import JSONRPC
import Queues
import Transcripts
package import Transport

/// Runs a play with one driver: starts the driver, tells it what to do, and takes its client's connections.
///
/// The driver's command gets one more argument, `HOST:PORT`. The driver connects there, reads one command per line, and answers
/// each with a line. The first command is `connect`, with the address of the simulated server. The driver must end when this
/// connection does.
///
/// Confined to its loop, and retained until the outcome is known.
package final class PlayRunner {
    package struct Options: Sendable {
        /// The driver: a path or a name, then the arguments.
        package var command: [String]
        /// The time that the play waits for one step. The driver may take longer to start.
        package var patience: Duration = .seconds(20)
        package var clock: any Clock<Duration> = ContinuousClock()

        package init(command: [String]) {
            self.command = command
        }
    }

    package struct Outcome: Sendable {
        package let play: PlayOutcome
        /// The last part of what the driver printed.
        package let printed: String
    }

    /// The time after which the driver is asked again what the user sees.
    private static let pause: Duration = .milliseconds(10)
    /// The shortest time that a driver has to start and connect: interpreters and editors take long on a busy machine.
    private static let start: Duration = .seconds(20)
    /// The time that a driver may take to end by itself.
    private static let grace: Duration = .seconds(5)
    private static let printedBytes = 16 * 1024

    private let loop: EventLoop
    private let options: Options
    /// The completion; nil once it was called.
    private var completion: ((Outcome) -> Void)?
    private var play: any Play
    private var server: Listener?
    private var control: Listener?
    private var driver: PlayedStream?
    private var driverProcess: ChildProcess?
    private var hasProcessEnded = false
    /// Commands from before the driver had connected.
    private var waiting: [JSONText] = []
    /// Whether the driver has answered `connect`, which isn't part of the play.
    private var isConnected = false
    private var connections: [Int: PlayedStream] = [:]
    private var connectionCount = 0
    /// Returns how long connections have been closed as soon as they are made; nil while they are accepted.
    private var timeClosed: (() -> Duration)?
    private var outcome: PlayOutcome?
    private var printed: [UInt8] = []
    private var patience: Task<Void, Never>?
    private var watched = -1

    /// Makes a runner. Must be called on the loop.
    ///
    /// - Parameter completion: called on the loop, once, when the driver has ended.
    package init(
        _ play: any Play, _ options: Options, on loop: EventLoop, completion: @escaping (Outcome) -> Void
    ) {
        loop.preconditionIsCurrent()
        self.play = play
        self.options = options
        self.loop = loop
        self.completion = completion
    }

    /// Starts the driver.
    ///
    /// - Throws: if the program can't be started, or no port can be listened on.
    package func begin() throws(SystemError) {
        let bound = LoopBound(self, loop: loop)
        let server = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop) { bound.value.accept($0) }
        self.server = server
        let control = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop) { bound.value.acceptDriver($0) }
        self.control = control
        // The driver's standard output and error are kept together, to be shown if a rule is broken.
        let shell = ["/bin/sh", "-c", #"exec "$@" 2>&1"#, "sh"]
        let process = try ChildProcess(
            shell + options.command + [control.address], on: loop, grace: Self.grace
        ) { [self] in processDidEnd($0) }
        driverProcess = process
        let printed = PlayedStream(process.stream)
        printed.whenRead = { [self] in keep($0) }
        printed.begin()
        waiting = [Self.connect(to: server.address)]
        perform(play.begin())
    }

    /// Ends the play at once. Must be called on the loop.
    package func stop(_ reason: String) {
        take { $0.giveUp(reason) }
    }

    // The driver

    private static func connect(to address: String) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"do":"connect","address":"#)
            writer.string(address)
            writer.endObject()
        }
    }

    private func acceptDriver(_ stream: DescriptorStream) {
        guard driver == nil, outcome == nil else { return stream.close() }
        let driver = PlayedStream(stream)
        self.driver = driver
        driver.whenTaken = { [self] in driverSaid($0) }
        driver.begin()
        for command in waiting { driver.send(command, framing: .lines) }
        waiting = []
        waitForStep()
    }

    private func driverSaid(_ content: TranscriptEntry.Content) {
        guard case .message(let answer) = content else {
            let reason =
                content == .end ? "the driver closed its connection" : "what the driver answered isn't a line of JSON"
            return take { $0.giveUp(reason) }
        }
        guard isConnected else {
            isConnected = true
            if case .failed(let reason) = DriverAnswer(answer) {
                take { $0.giveUp("the driver couldn't connect: \(reason)") }
            }
            return
        }
        take { $0.receiveAnswer(answer) }
    }

    private func tell(_ command: JSONText) {
        if let driver { driver.send(command, framing: .lines) } else { waiting.append(command) }
    }

    private func processDidEnd(_ ending: ChildProcess.Ending) {
        hasProcessEnded = true
        if case .exited(let status) = ending, [126, 127].contains(status), driver == nil, outcome == nil {
            end(.notStarted(status: status))
        }
        take { play in
            switch ending {
            case .exited(let status): play.giveUp("the driver ended with status \(status)")
            case .signaled(let signal): play.giveUp("the driver was ended by signal \(signal)")
            }
        }
        complete()
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) {
        printed += bytes
        if printed.count > 2 * Self.printedBytes { printed.removeFirst(printed.count - Self.printedBytes) }
    }

    // The client

    private func accept(_ stream: DescriptorStream) {
        guard timeClosed == nil, outcome == nil else {
            stream.close()
            if let timeClosed { take { $0.turnAway(after: timeClosed()) } }
            return
        }
        connectionCount += 1
        let number = connectionCount
        let connection = PlayedStream(stream)
        connections[number] = connection
        connection.whenTaken = { [self] content in
            take { play in
                switch content {
                case .message(let message): play.receive(message, on: number)
                case .text(let text), .unframed(let text): play.receiveGarbage(text, on: number)
                case .end: play.receiveEnd(of: number)
                }
            }
        }
        connection.begin()
    }

    // The play

    private func take(_ step: (inout any Play) -> [PlayAction]) {
        guard outcome == nil else { return }
        perform(step(&play))
    }

    private func perform(_ actions: [PlayAction]) {
        for action in actions {
            guard outcome == nil else { return }
            switch action {
            case .tell(let command): tell(command)
            case .pause:
                let bound = LoopBound(self, loop: loop)
                _ = loop.schedule(after: Self.pause, by: options.clock) { bound.value.take { $0.lookAgain() } }
            case .send(let message, let number): connections[number]?.send(message, framing: .headers)
            case .sendHalf(let message, let number): connections[number]?.sendHalf(message, framing: .headers)
            case .cut(let number): connections[number]?.close()
            case .door(let isOpen): timeClosed = isOpen ? nil : Self.stopwatch(options.clock)
            case .end(let outcome): end(outcome)
            }
        }
        watch()
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// Waits for the play's next step, unless it is already waiting for that.
    private func watch() {
        guard outcome == nil, play.progress != watched else { return }
        watched = play.progress
        waitForStep()
    }

    private func waitForStep() {
        patience?.cancel()
        let bound = LoopBound(self, loop: loop)
        let wait = driver == nil ? max(options.patience, Self.start) : options.patience
        patience = loop.schedule(after: wait, by: options.clock) { bound.value.stepDidNotCome(in: wait) }
    }

    private func stepDidNotCome(in wait: Duration) {
        let reason =
            switch driver?.endsLine {
            case nil: "it didn't connect to the address that is its last argument"
            case false?: "what the driver said last has no end of line, waited for \(wait)"
            case true?: "waited for \(wait)"
            }
        take { $0.giveUp(reason) }
    }

    private func end(_ outcome: PlayOutcome) {
        self.outcome = outcome
        patience?.cancel()
        for listener in [server, control] { listener?.close() }
        for connection in connections.values { connection.close() }
        driver?.close()
        // Closing the stream ends a driver that is still running.
        driverProcess?.stream.close()
        complete()
    }

    private func complete() {
        guard let outcome, hasProcessEnded, let completion else { return }
        self.completion = nil
        let end = printed.suffix(Self.printedBytes)
        completion(Outcome(play: outcome, printed: String(decoding: end, as: UTF8.self)))
    }
}

/// A stream of a play, which passes on what is read.
private final class PlayedStream: ByteStreamHandler {
    private let stream: any ByteStream
    private var decoder = ContentDecoder()
    private var hasEnded = false
    /// Whether the bytes so far end with a line feed.
    private(set) var endsLine = true
    /// Called with decoded contents, in the connection's framing.
    var whenTaken: ((TranscriptEntry.Content) -> Void)?
    /// Called with bytes instead of contents, if set.
    var whenRead: ((UnsafeRawBufferPointer) -> Void)?

    init(_ stream: any ByteStream) {
        self.stream = stream
    }

    func begin() {
        stream.handler = self
        stream.start()
    }

    /// Sends a message.
    ///
    /// - Parameter framing: the framing if the other side hasn't chosen one.
    func send(_ message: JSONText, framing: Framing) {
        let encoder = FrameEncoder(decoder.framing ?? framing)
        stream.write { output in message.bytes.withUnsafeBytes { encoder.append($0, to: &output) } }
    }

    /// Sends the first half of a message's bytes.
    ///
    /// - Parameter framing: the framing if the other side hasn't chosen one.
    func sendHalf(_ message: JSONText, framing: Framing) {
        var frame: [UInt8] = []
        let encoder = FrameEncoder(decoder.framing ?? framing)
        message.bytes.withUnsafeBytes { encoder.append($0, to: &frame) }
        stream.write { $0 += frame.prefix(frame.count / 2) }
    }

    /// Closes the stream once everything is sent.
    func close() { stream.finish() }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        if let whenRead { return whenRead(bytes) }
        if let last = bytes.last { endsLine = last == UInt8(ascii: "\n") }
        // The contents are collected first, since answering one asks the decoder for its framing.
        var contents: [TranscriptEntry.Content] = []
        decoder.decode(bytes) { contents.append($0) }
        for content in contents { whenTaken?(content) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        end()
        stream.finish()
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        end()
        (whenTaken, whenRead) = (nil, nil)
    }

    private func end() {
        guard !hasEnded, whenRead == nil else { return }
        hasEnded = true
        var contents: [TranscriptEntry.Content] = []
        decoder.finish { contents.append($0) }
        for content in contents { whenTaken?(content) }
    }
}
