import Synchronization
import Transport

/// The process that serves one client. Any thread may call it.
final class IsolatedChild: Sendable {
    private struct State {
        var connections = 0
        var hasHadViews = false
        /// Rises with each connection, so that one that came meanwhile is noticed.
        var uses = 0
        var isToEnd = false
        /// Why this side ended it.
        var verdict: String?
        var ending: String?
        var waiters: [@Sendable (_ ending: String) -> Void] = []
    }

    /// The client, for people: `principal alice`, `"editor"`.
    let client: String
    let process: WorkerProcess
    private let state = Mutex(State())

    init(_ client: String, _ process: WorkerProcess) {
        self.client = client
        self.process = process
    }

    /// Makes a connection to it, which counts until `leave`; nil where the process is about to end.
    ///
    /// - Parameter isFirst: where it has ended since it was started, the connection ends at once.
    /// - Throws: where it takes none.
    func connect(_ message: [UInt8], isFirst: Bool) throws(SystemError) -> Descriptor? {
        let isTaken = state.withLock { state in
            guard !state.isToEnd, state.ending == nil else { return false }
            state.connections += 1
            state.uses += 1
            return true
        }
        guard isTaken else { return nil }
        do throws(SystemError) {
            return try process.connect(message, toleratesEnd: isFirst)
        } catch {
            _ = leave(hasHadViews: false)
            throw error
        }
    }

    /// - Returns: where this was the last connection, the number of its use, and whether there may be sessions.
    func leave(hasHadViews: Bool) -> (use: Int, mayHaveSessions: Bool)? {
        state.withLock { state in
            state.connections -= 1
            if hasHadViews { state.hasHadViews = true }
            return state.connections == 0 ? (state.uses, state.hasHadViews) : nil
        }
    }

    /// Takes no more connections, unless one has come since this use.
    func retire(since use: Int? = nil) -> Bool {
        state.withLock { state in
            guard use == nil || (use == state.uses && state.connections == 0) else { return false }
            state.isToEnd = true
            return true
        }
    }

    /// Ends it at once.
    func kill(_ reason: String) {
        state.withLock { state in if state.verdict == nil { state.verdict = reason } }
        process.kill()
    }

    /// Notes that the process has ended.
    ///
    /// - Returns: how, in words, and whether it was told to.
    func didEnd(_ ending: ChildProcess.Ending) -> (words: String, wasTold: Bool) {
        let (words, wasTold, waiters) = state.withLock { state in
            let words = state.verdict.map { "\(ending): \($0)" } ?? "\(ending)"
            state.ending = words
            defer { state.waiters = [] }
            return (words, state.isToEnd, state.waiters)
        }
        for waiter in waiters { waiter(words) }
        return (words, wasTold)
    }

    /// Calls `body` once the process has ended, at once where it has.
    func whenEnded(_ body: @escaping @Sendable (_ ending: String) -> Void) {
        let ending = state.withLock { state in
            if state.ending == nil { state.waiters.append(body) }
            return state.ending
        }
        if let ending { body(ending) }
    }
}
