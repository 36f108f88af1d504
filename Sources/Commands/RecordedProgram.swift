import LibC
import Transcripts
import Transport

/// A client on standard input and output, and the program that it has for a server. Belongs to its loop, and lives as long
/// as the program or a stream.
final class RecordedProgram {
    /// How long a program may go on that its client reads no more, and one that both sides have parted from.
    private static let grace: Duration = .seconds(5)

    private let recording: Recording
    private let loop: EventLoop
    private let end: EndOfProcess
    private var child: ChildProcess?
    private var relay: Relay?
    private var status: Int32?
    private var isClosed = false

    init(_ recording: Recording, on loop: EventLoop, end: EndOfProcess) {
        self.recording = recording
        self.loop = loop
        self.end = end
    }

    /// - Throws: `ProgramError` when there is no such program.
    func start(_ command: [String]) throws {
        // First, as one may come as soon as the program runs.
        _ = try SignalWatcher(on: loop) { [self] in didReceive($0) }
        let child: ChildProcess
        do {
            child = try ChildProcess(command, on: loop, grace: Self.grace) { [self] in didEnd($0) }
        } catch {
            throw ProgramError(error)
        }
        self.child = child
        relay = Relay(
            client: try Stdio.open(on: loop), server: child.stream, as: recording.connect(), grace: Self.grace,
            didClose: { [self] in didClose() })
    }

    private func didReceive(_ signal: Int32) {
        // Of a program that has ended, a slow client still reads the last words.
        if status == nil { child?.signal(signal) } else { relay?.close() }
    }

    private func didEnd(_ ending: ChildProcess.Ending) {
        switch ending {
        case .exited(let status): self.status = status
        case .signaled(let signal): status = 128 + signal
        }
        relay?.serverDidEnd()
        finishIfOver()
    }

    private func didClose() {
        isClosed = true
        finishIfOver()
    }

    private func finishIfOver() {
        guard let status, isClosed else { return }
        relay = nil
        end.finish(with: .success(status))
    }
}

/// A program can't be started, with the status that shells have for that.
struct ProgramError: Error {
    let reason: SystemError
    let status: Int32

    init(_ reason: SystemError) {
        self.reason = reason
        status = reason.code == ENOENT ? ExitStatus.notFound : ExitStatus.cantExecute
    }
}
