import Queues
import Synchronization
package import Transport

/// Records the bytes of connections to a file, without ever delaying the conversation.
///
/// Any thread may call it. Bytes are copied, then decoded and written on a loop that may wait for the disk. If too many bytes
/// wait, or writing fails, the recording stops and leaves a valid transcript; the conversation goes on.
package final class Recording: Sendable {
    package struct Options: Sendable {
        /// The header to write. The server's first answer completes it.
        package var header: TranscriptHeader
        /// Whether tokens, keys and all content that isn't JSON are redacted.
        package var redacts = false
        /// The limit of bytes that wait for the disk.
        package var waitingBytes = 256 << 20

        package init(header: TranscriptHeader) {
            self.header = header
        }
    }

    private let path: String
    private let loop: EventLoop
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let writer: LoopBound<TranscriptWriter>
    private let events: Mutex<RecordingEvents>
    private let didStop: @Sendable (TranscriptError) -> Void

    /// Makes a recording.
    ///
    /// - Parameters:
    ///   - file: owned by the recording from now on.
    ///   - loop: where the file is written, which blocks while the disk is slow. Recordings may share one, but no conversation
    ///   may run on it.
    ///   - clock: measures the times of the lines, which count from the first bytes.
    ///   - didStop: called at most once, on any thread, if the recording stops early.
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

    /// Begins to record a connection. Connections are numbered in the order of the calls.
    package func connect() -> RecordedConnection {
        RecordedConnection(recording: self, number: events.withLock { $0.connect() })
    }

    /// Writes everything that waits and closes the file. May be called more than once.
    ///
    /// - Parameter done: called on the recording's loop, with an error if the file doesn't have everything.
    package func finish(_ done: @escaping @Sendable (TranscriptError?) -> Void) {
        let time = events.withLock { $0.finish(at: stopwatch.milliseconds) }
        loop.execute { [self] in
            write()
            let isCut = events.withLock { $0.failure != nil }
            attempt { (writer) throws(TranscriptError) in try writer.finish(at: time, isCut: isCut) }
            done(events.withLock { $0.failure })
        }
    }

    /// Deletes the file if it was made for this recording and nothing was written to it.
    package func discard() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                writer.value.discard()
                continuation.resume()
            }
        }
    }

    /// The number of bytes that wait for the disk.
    fileprivate var waitingBytes: Int { events.withLock { $0.bytes } }

    fileprivate func add(_ event: RecordingEvents.Event, on connection: Int) {
        let outcome = events.withLock { $0.add(event, on: connection, at: stopwatch.milliseconds) }
        switch outcome {
        case .waits: break
        case .isFirst: loop.execute { self.write() }
        case .isTooMuch(let bytes):
            let reason = "it is recorded up to here: \(bytes) bytes wait to be written, which takes too long"
            stop(TranscriptError(path: path, reason: reason))
        }
    }

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

    fileprivate func stop(_ failure: TranscriptError) {
        if events.withLock({ $0.stop(failure) }) { didStop(failure) }
    }
}

/// A connection of a recording. Any thread may call it, one at a time.
package struct RecordedConnection: Sendable {
    fileprivate let recording: Recording
    package let number: Int

    /// Records bytes. A client's bytes must be recorded before the server gets them, and a server's after they have come from
    /// it, so that no answer precedes its request.
    package func pass(_ bytes: UnsafeRawBufferPointer, from side: TranscriptSide) {
        guard !bytes.isEmpty else { return }
        recording.add(.bytes(Array(bytes), side), on: number)
    }

    /// Records that the side sends nothing more.
    package func end(_ side: TranscriptSide) {
        recording.add(.end(side), on: number)
    }

    /// Records that the connection is closed, whether or not its sides have ended. Must be called once, last.
    package func close() {
        recording.add(.close, on: number)
    }
}

extension Recording {
    /// Writes everything that waits and closes the file, as `finish` does, but gives up when the disk takes nothing for as long
    /// as `grace`.
    ///
    /// - Parameter timers: the executor on which the grace is measured.
    /// - Returns: an error if the file doesn't have everything.
    package func close(
        within grace: Duration, timers: any TaskExecutor = globalConcurrentExecutor
    ) async -> TranscriptError? {
        await withCheckedContinuation { continuation in
            let once = Once(continuation)
            let timer = Task.detached(executorPreference: timers) { await self.expire(after: grace, timers, once) }
            finish { failure in
                timer.cancel()
                once.resume(returning: failure)
            }
        }
    }

    private func expire(after grace: Duration, _ timers: any TaskExecutor, _ once: Once) async {
        var waited: Int?
        while waited != waitingBytes {
            waited = waitingBytes
            // The sleep was cancelled because the file is closed.
            guard (try? await timers.sleep(for: grace, by: clock)) != nil else { return }
        }
        let reason = "the end is missing: of the last \(waitingBytes) bytes nothing could be written for \(grace)"
        let failure = TranscriptError(path: path, reason: reason)
        stop(failure)
        once.resume(returning: failure)
    }
}

/// A continuation that is resumed by the first of two outcomes.
private final class Once: Sendable {
    private let continuation: Mutex<CheckedContinuation<TranscriptError?, Never>?>

    init(_ continuation: CheckedContinuation<TranscriptError?, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(returning failure: TranscriptError?) {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(returning: failure)
    }
}
