import LibC

/// A program that this process started, with a pipe to its standard input and one from its standard output.
///
/// It belongs to its loop, which keeps it until the program has ended, whoever else holds it. It leaves neither a zombie nor
/// an orphan: a program that is still there a grace after its stream was closed is told `SIGTERM`, and after another
/// one `SIGKILL`; one that is there when the loop ends is killed at once.
package final class ChildProcess: Registrant {
    package enum Ending: Equatable, Sendable {
        case exited(status: Int32)
        case signaled(Int32)
    }

    package static let defaultGrace: Duration = .seconds(5)

    package let processID: Int32
    /// What is written here the program reads, and the other way round; not started. `finishWriting` is the end of the
    /// program's input. Once the program has ended, what it wrote is still there to be read.
    package let stream: DescriptorStream

    private let loop: EventLoop
    private let grace: Duration
    private var didEnd: ((Ending) -> Void)?
    private var watcher: ProcessWatcher?
    private var registration: RegistrationToken?
    private var timer: LoopTimer?

    /// Starts a program, in a process group of its own: a terminal's Ctrl-C, or an editor that signals a group, reaches it
    /// by way of `signal` alone, and so once. On the loop only.
    ///
    /// - Parameters:
    ///   - command: a path or a name to look for in `PATH`, then the arguments.
    ///   - grace: how long a program may take to end by itself, as said above.
    ///   - didEnd: called on the loop, once, unless the loop ends first.
    /// - Throws: why the program can't be started; the code is `ENOENT` when there is none of that name.
    package init(
        _ command: [String], on loop: EventLoop, grace: Duration = ChildProcess.defaultGrace,
        didEnd: @escaping (Ending) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        let input = try Pipe()
        let output = try Pipe()
        processID = try Spawn(command: command).run(input: input.reading.number, output: output.writing.number)
        self.loop = loop
        self.grace = grace
        self.didEnd = didEnd
        stream = DescriptorStream(
            input: output.reading, output: input.writing, peer: command.first ?? "", loop: loop)
        registration = loop.core.register(self)
        watcher = ProcessWatcher(pid: processID, on: loop) { [self] in reap() }
        stream.whenClosed = { [self] in endWithin(grace, by: SIGTERM) }
        guard watcher == nil else { return }
        stream.close()
        loopWillEnd()
        throw SystemError(
            code: ENOSYS, call: "pidfd_open", subject: command.first ?? "",
            reason: "the system can't tell when a process ends")
    }

    /// Sends a signal to the program and to what it started in its group; nothing happens when it has ended. On the loop only.
    package func signal(_ number: Int32) {
        loop.preconditionIsCurrent()
        guard registration != nil else { return }
        // A program may have left its group.
        if kill(-processID, number) != 0 { kill(processID, number) }
    }

    func didBecomeReady(_ readiness: Interest) {}

    func loopWillEnd() {
        guard registration != nil else { return }
        signal(SIGKILL)
        didEnd = nil
        reap()
    }

    /// Waits for a process that has ended or is about to.
    private func reap() {
        var status: Int32 = 0
        var result: pid_t = 0
        repeat { result = waitpid(processID, &status, 0) } while result < 0 && errno == EINTR
        if let registration { loop.core.withdraw(registration) }
        registration = nil
        watcher?.close()
        watcher = nil
        timer?.cancel()
        timer = nil
        let didEnd = didEnd
        self.didEnd = nil
        // When somebody else in this process has taken the status, how it ended isn't known; not well is a safe guess.
        didEnd?(result == processID ? Ending(waitStatus: status) : .exited(status: 1))
    }

    private func endWithin(_ grace: Duration, by number: Int32) {
        guard registration != nil else { return }
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: grace) {
            bound.value.signal(number)
            if number != SIGKILL { bound.value.endWithin(grace, by: SIGKILL) }
        }
    }
}

extension ChildProcess.Ending {
    /// As `waitpid` tells it: the macros of `wait.h`, which Swift doesn't see.
    fileprivate init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .exited(status: (waitStatus >> 8) & 0xFF) : .signaled(signal)
    }
}
