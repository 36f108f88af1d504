import LibC
import Synchronization

/// Turns signals of the process into calls on a loop. A process may have one watcher at a time.
///
/// The signal handler is C code that writes one byte to a pipe, which the loop reads. A signal that is ignored when the
/// watcher is made stays ignored, as `nohup` and shells ignore signals on purpose. The loop retains the watcher until it is
/// closed.
package final class SignalWatcher: Registrant {
    private let loop: EventLoop
    private let didReceive: (Int32) -> Void
    private var receiving: Descriptor?
    private var sending: Descriptor?
    private var registration: RegistrationToken?
    private var previous: [(signal: Int32, action: sigaction)] = []

    private static let exists = Mutex(false)

    /// Begins to watch. Called on the loop only. Stops the process when there is another watcher.
    ///
    /// - Parameters:
    ///   - secondEnds: whether a second signal, of any kind, ends the process at once by the kernel's default action,
    ///     whatever the loop and other threads do, and isn't reported.
    ///   - didReceive: called on the loop with the signal's number. Several signals of one kind may be reported as one.
    /// - Throws: when the system has no pipe left, or refuses a handler.
    package init(
        _ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP], on loop: EventLoop, secondEnds: Bool = false,
        didReceive: @escaping (Int32) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        self.loop = loop
        self.didReceive = didReceive
        let pipe = try Pipe()
        let (reading, writing) = (pipe.reading.number, pipe.writing.number)
        receiving = .some(pipe.reading)
        sending = .some(pipe.writing)
        Self.exists.withLock { exists in
            precondition(!exists, "There is another SignalWatcher")
            exists = true
        }
        let registration = loop.core.register(self, descriptor: reading)
        self.registration = registration
        do {
            try loop.core.setInterest(.read, of: registration)
            clinux_set_signal_descriptor(writing)
            clinux_end_at_second_signal(secondEnds ? 1 : 0)
            for signal in signals { try install(signal) }
        } catch {
            close()
            throw error
        }
        unblock(signals)
    }

    /// Restores the signal actions from before. Called on the loop only; more than once is fine.
    package func close() {
        loop.preconditionIsCurrent()
        guard let registration else { return }
        for (signal, action) in previous {
            var action = action
            sigaction(signal, &action, nil)
        }
        previous = []
        clinux_set_signal_descriptor(-1)
        clinux_end_at_second_signal(0)
        loop.core.withdraw(registration)
        self.registration = nil
        receiving = nil
        sending = nil
        Self.exists.withLock { $0 = false }
    }

    func loopWillEnd() {
        close()
    }

    func didBecomeReady(_ readiness: Interest) {
        guard let number = receiving?.number else { return }
        let signals = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = read(number, buffer.baseAddress, buffer.count)
            return count > 0 ? Array(buffer[..<count]) : []
        }
        for signal in signals where registration != nil { didReceive(Int32(signal)) }
    }

    private func install(_ signal: Int32) throws(SystemError) {
        var action = sigaction()
        switch clinux_watch_signal(signal, &action) {
        case 1: previous.append((signal, action))
        case 0: break
        default: throw SystemError.last("sigaction", "signal \(signal)")
        }
    }

    /// Unblocks the signals in this thread, as one thread of the process must take them: a parent may have started the
    /// process with signals blocked. Threads of Swift's pool block signals, too, as does a loop that was started from such a
    /// thread.
    private func unblock(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
