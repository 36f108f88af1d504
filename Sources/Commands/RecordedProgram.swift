import LibC
import Transcripts
import Transport

/// Records a client on standard input and output with a program as its server.
///
/// Confined to its loop, and alive as long as the program or one of the streams.
final class RecordedProgram {
    /// How long the program may go on when its client reads nothing more, or its input and output are closed.
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

    /// - Throws: `ProgramError` when there is no such program.
    func start(_ command: [String]) throws {
        // First, since a signal may come as soon as the program runs.
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
        // When the program has ended, a slow client may still be reading its last words.
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

/// A program can't be started. The status is the one that shells use for that.
struct ProgramError: Error {
    let reason: SystemError
    let status: Int32

    init(_ reason: SystemError) {
        self.reason = reason
        status = reason.code == ENOENT ? ExitStatus.notFound : ExitStatus.cantExecute
    }
}
