import LibC
import Synchronization

/// Turns signals of the process into calls on a loop. One at a time in a process.
///
/// The handler, C code, writes one byte to a pipe that the loop reads. A signal that is ignored when the watcher is made
/// stays ignored: `nohup` and shells ignore signals for a reason. The loop keeps the watcher until it is closed.
package final class SignalWatcher: Registrant {
    private let loop: EventLoop
    private let didReceive: (Int32) -> Void
    private var receiving: Descriptor?
    private var sending: Descriptor?
    private var registration: RegistrationToken?
    private var previous: [(signal: Int32, action: sigaction)] = []

    private static let exists = Mutex(false)

    /// On the loop only. `didReceive` is called on the loop with the signal's number; of many that come at once, some may be
    /// told as one.
    package init(
        _ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP], on loop: EventLoop, didReceive: @escaping (Int32) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        self.loop = loop
        self.didReceive = didReceive
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        let (reading, writing) = (ends[0], ends[1])
        receiving = Descriptor(owning: reading)
        sending = Descriptor(owning: writing)
        Self.exists.withLock { exists in
            precondition(!exists, "There is another SignalWatcher")
            exists = true
        }
        let registration = loop.core.register(self, descriptor: reading)
        self.registration = registration
        do {
            try loop.core.setInterest(.read, of: registration)
            clinux_set_signal_descriptor(writing)
            for signal in signals { try install(signal) }
        } catch {
            close()
            throw error
        }
        unblock(signals)
    }

    /// Restores what each signal did before. On the loop only; again is fine.
    package func close() {
        loop.preconditionIsCurrent()
        guard let registration else { return }
        for (signal, action) in previous {
            var action = action
            sigaction(signal, &action, nil)
        }
        previous = []
        clinux_set_signal_descriptor(-1)
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

    /// A parent may have started the process with signals blocked, and a loop that was started from a thread of Swift's pool
    /// inherits that those block them: one thread that takes them is enough.
    private func unblock(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
