import Synchronization
import Transport

/// The process that has the sessions of one client, and the link to it. Any thread may call it.
final class IsolatedChild: Sendable {
    private struct State {
        var channels = 0
        var hasHadViews = false
        /// The number of channels ever opened, by which `retire` notices one that was opened meanwhile.
        var uses = 0
        var isToEnd = false
        /// The reason for which this side killed the process.
        var verdict: String?
        var ending: String?
        /// Whether the process had scenes of the store when it ended.
        var hadScenes = false
        var waiters: [@Sendable (_ ending: String, _ hadScenes: Bool) -> Void] = []
    }

    /// The client for people: `principal alice`, `"editor"`.
    let client: String
    let process: WorkerProcess
    let link: Link
    /// The process as the store knows it; nil where nothing is stored.
    let storeProcess: ProcessStores.Process?
    private let state = Mutex(State())

    init(_ client: String, _ process: WorkerProcess, _ link: Link, storeProcess: ProcessStores.Process?) {
        self.client = client
        self.storeProcess = storeProcess
        self.process = process
        self.link = link
    }

    /// Opens a channel, which counts until `leave`; nil where the process is about to end.
    ///
    /// - Parameter loop: the loop of the channel's stream.
    func openChannel(for client: RelayedClient, on loop: EventLoop) -> LinkStream? {
        let isTaken = state.withLock { state in
            guard !state.isToEnd, state.ending == nil else { return false }
            state.channels += 1
            state.uses += 1
            return true
        }
        return isTaken ? link.openChannel(payload: client.text, on: loop, peer: link.peerDescription) : nil
    }

    /// Ends the use of a channel.
    ///
    /// - Parameter hasHadViews: whether the channel's client has had a view.
    /// - Returns: for the last channel, the number of the newest use and whether the process may have sessions; nil where other
    ///   channels are open.
    func leave(hasHadViews: Bool) -> (use: Int, mayHaveSessions: Bool)? {
        state.withLock { state in
            state.channels -= 1
            if hasHadViews { state.hasHadViews = true }
            return state.channels == 0 ? (state.uses, state.hasHadViews) : nil
        }
    }

    /// Closes the process to new channels, before it is told to end.
    ///
    /// - Parameter use: the use after which no channel was left, as `leave` returned it; nil to close it in any case.
    /// - Returns: false, with nothing changed, where a channel was opened since that use.
    func retire(since use: Int? = nil) -> Bool {
        state.withLock { state in
            guard use == nil || (use == state.uses && state.channels == 0) else { return false }
            state.isToEnd = true
            return true
        }
    }

    /// Kills the process.
    ///
    /// - Parameter reason: for the log; that of the first call counts.
    func kill(_ reason: String) {
        state.withLock { state in if state.verdict == nil { state.verdict = reason } }
        process.kill()
    }

    /// Notes that the process has ended.
    ///
    /// - Parameter hadScenes: whether it had scenes of the store, which another process can have now.
    /// - Returns: how it ended, in words, and whether it was told to end.
    func didEnd(_ ending: ChildProcess.Ending, hadScenes: Bool) -> (words: String, wasTold: Bool) {
        let (words, wasTold, waiters) = state.withLock { state in
            let words = state.verdict.map { "\(ending): \($0)" } ?? "\(ending)"
            state.ending = words
            state.hadScenes = hadScenes
            defer { state.waiters = [] }
            return (words, state.isToEnd, state.waiters)
        }
        for waiter in waiters { waiter(words, hadScenes) }
        return (words, wasTold)
    }

    /// Calls `body` once the process has ended, at once where it has.
    func whenEnded(_ body: @escaping @Sendable (_ ending: String, _ hadScenes: Bool) -> Void) {
        let (ending, hadScenes) = state.withLock { state in
            if state.ending == nil { state.waiters.append(body) }
            return (state.ending, state.hadScenes)
        }
        if let ending { body(ending, hadScenes) }
    }
}
