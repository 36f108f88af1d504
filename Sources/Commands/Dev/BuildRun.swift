import LibC
import Transport

/// A running build.
///
/// Confined to its loop, and retained until it has ended.
final class BuildRun: ByteStreamHandler {
    struct Outcome: Sendable {
        var isGood: Bool
        /// The compiler's messages.
        var lines: [String]
        var duration: Duration
    }

    private let loop: EventLoop
    private let grace: Duration
    private let start = ContinuousClock.now
    private let say: (String) -> Void
    private let didEnd: (Outcome) -> Void
    private var process: ChildProcess?
    private var timer: LoopTimer?
    private var output = BuildOutput()

    /// Starts a build.
    ///
    /// - Parameters:
    ///   - command: a program and its arguments.
    ///   - grace: how long the build may go on after `cancel()`.
    ///   - say: takes each line for the terminal.
    ///   - didEnd: called once.
    /// - Throws: if the program can't be started.
    init(
        _ command: [String], on loop: EventLoop, grace: Duration, say: @escaping (String) -> Void,
        didEnd: @escaping (Outcome) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.grace = grace
        self.say = say
        self.didEnd = didEnd
        // Standard output and error go into one stream, so that their lines stay in order.
        let merged = ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"] + command
        let process = try ChildProcess(merged, on: loop) { [self] in processDidEnd($0) }
        self.process = process
        process.stream.handler = self
        process.stream.start()
        process.stream.finishWriting()
    }

    /// Interrupts the build, and kills it after the grace. When interrupted, SwiftPM ends the processes that it has started.
    func cancel() {
        process?.signal(SIGINT)
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: grace) { bound.value.kill() }
    }

    func kill() {
        process?.signal(SIGKILL)
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        for line in output.take(bytes) { say(line) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {}
    func streamDidSend(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { true }
    func stream(_ stream: any ByteStream, didClose error: SystemError?) {}

    private func processDidEnd(_ ending: ChildProcess.Ending) {
        timer?.cancel()
        // A process that the build has left behind may keep its output open.
        process?.stream.readAvailable()
        process?.stream.close()
        process = nil
        for line in output.end() { say(line) }
        let isGood = ending == .exited(status: 0)
        didEnd(Outcome(isGood: isGood, lines: output.lines, duration: ContinuousClock.now - start))
    }
}
