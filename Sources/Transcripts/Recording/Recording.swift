import Synchronization
package import Transport

/// Records what passes on connections to a file, without ever holding up whoever passes it.
///
/// Any thread may call it. Bytes are copied, taken apart and written on a loop that may wait for the disk. When too much
/// waits, or can't be written, the recording stops and is a valid transcript up to there; the conversation goes on.
package final class Recording: Sendable {
    package struct Options: Sendable {
        /// What is known before the server has said who it is.
        package var header: TranscriptHeader
        /// Tokens and keys are taken out, and what can't be looked into.
        package var redacts = false
        /// So many bytes may wait for the disk.
        package var waitingBytes = 256 << 20

        package init(header: TranscriptHeader) {
            self.header = header
        }
    }

    let path: String
    let loop: EventLoop
    let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    /// Used on the loop, like all that writes.
    private let writer: LoopBound<TranscriptWriter>
    private let events: Mutex<RecordingEvents>
    private let didStop: @Sendable (TranscriptError) -> Void

    /// - Parameters:
    ///   - file: nobody else's from here on.
    ///   - loop: waits for the disk; other recordings may have the same, a conversation may not.
    ///   - clock: the transcript begins with the first bytes.
    ///   - didStop: called once, on any thread, when not all is going to be in the file.
    package init(
        to file: TranscriptFile, _ options: Options, on loop: EventLoop, clock: any Clock<Duration> = ContinuousClock(),
        didStop: @escaping @Sendable (TranscriptError) -> Void = { _ in }
    ) {
        path = file.path
        self.loop = loop
        self.clock = clock
        self.didStop = didStop
        stopwatch = Stopwatch(clock)
        events = Mutex(RecordingEvents(limit: options.waitingBytes))
        let recorder = TranscriptRecorder(header: options.header, redacts: options.redacts)
        writer = LoopBound(TranscriptWriter(recorder, file), loop: loop)
    }

    /// The next connection; they are numbered in the order in which they are asked for.
    package func connect() -> RecordedConnection {
        RecordedConnection(recording: self, number: events.withLock { $0.connect() })
    }

    /// Ends the recording: what waits is written, then the file is closed and `done` is called on the recording's loop, with
    /// the reason when not all is in the file. Again is fine.
    package func finish(_ done: @escaping @Sendable (TranscriptError?) -> Void) {
        let time = events.withLock { $0.finish(at: stopwatch.milliseconds) }
        loop.execute { [self] in
            write()
            let isCut = events.withLock { $0.failure != nil }
            attempt { (writer) throws(TranscriptError) in try writer.finish(at: time, isCut: isCut) }
            done(events.withLock { $0.failure })
        }
    }

    /// There was nothing to record: a file that was made for it goes.
    package func discard() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                writer.value.discard()
                continuation.resume()
            }
        }
    }

    /// How much waits to be written.
    var waitingBytes: Int { events.withLock { $0.bytes } }

    func add(_ event: RecordingEvents.Event, on connection: Int) {
        let outcome = events.withLock { $0.add(event, on: connection, at: stopwatch.milliseconds) }
        switch outcome {
        case .waits: break
        case .isFirst: loop.execute { self.write() }
        case .isTooMuch(let bytes):
            let reason = "it is recorded up to here: \(bytes) bytes wait to be written, which takes too long"
            stop(TranscriptError(path: path, reason: reason))
        }
    }

    /// Writes all that waits.
    private func write() {
        while let batch = events.withLock({ $0.take() }) {
            attempt { (writer) throws(TranscriptError) in
                try writer.write(batch) { written in events.withLock { $0.didWrite(written) } }
            }
        }
    }

    private func attempt(_ body: (TranscriptWriter) throws(TranscriptError) -> Void) {
        do {
            try body(writer.value)
        } catch {
            stop(error)
        }
    }

    func stop(_ failure: TranscriptError) {
        if events.withLock({ $0.stop(failure) }) { didStop(failure) }
    }
}
