import LibC
import Transcripts
import Transport

/// Records the conversation of a client on standard input and output with a program as its server.
///
/// Confined to its loop, and retained as long as the program or one of the streams.
final class RecordedProgram {
    /// The time that the program may go on when its client reads nothing more, or its input and output are closed.
    private static let grace: Duration = .seconds(5)

    private let recording: Recording
    private let loop: EventLoop
    private let end: EndOfProcess
    private var child: ChildProcess?
    private var proxy: RecordingProxy?
    private var status: Int32?
    private var isClosed = false

    init(_ recording: Recording, on loop: EventLoop, end: EndOfProcess) {
        self.recording = recording
        self.loop = loop
        self.end = end
    }

    /// Starts the program and records it.
    ///
    /// - Throws: `ProgramError` if the program can't be started.
    func start(_ command: [String]) throws {
        // Signals are watched first, since one may come as soon as the program runs.
        _ = try SignalWatcher(on: loop) { [self] in didReceive($0) }
        let child: ChildProcess
        do {
            child = try ChildProcess(command, on: loop, grace: Self.grace) { [self] in didEnd($0) }
        } catch {
            throw ProgramError(error)
        }
        self.child = child
        proxy = RecordingProxy(
            client: try Stdio.open(on: loop), server: child.stream, as: recording.connect(), grace: Self.grace,
            didClose: { [self] in didClose() })
    }

    private func didReceive(_ signal: Int32) {
        // The program has ended, but a slow client may still be reading the last output.
        if status == nil { child?.signal(signal) } else { proxy?.close() }
    }

    private func didEnd(_ ending: ChildProcess.Ending) {
        switch ending {
        case .exited(let status): self.status = status
        case .signaled(let signal): status = 128 + signal
        }
        proxy?.serverDidEnd()
        finishIfOver()
    }

    private func didClose() {
        isClosed = true
        finishIfOver()
    }

    private func finishIfOver() {
        guard let status, isClosed else { return }
        proxy = nil
        end.finish(with: .success(status))
    }
}

/// The error for a program that can't be started. Its status is the one that shells use for that.
struct ProgramError: Error {
    let reason: SystemError
    let status: Int32

    init(_ reason: SystemError) {
        self.reason = reason
        status = reason.code == ENOENT ? ExitStatus.notFound : ExitStatus.cantExecute
    }
}
