import Synchronization

/// The return of a stored scene's view models: none handles an event before all have gone on, as what one of them does may
/// concern another, which has yet to subscribe to it again.
final class Resumption: Sendable {
    private struct State {
        /// It is a stored scene, whose view models have yet to be opened.
        var isAwaited = false
        /// Those that have yet to go on, or to end.
        var sessions: Set<ObjectIdentifier> = []
        /// Why one of them can't go on, and so none does.
        var failure: SceneFailed?
        var waiters: [UnsafeContinuation<Void, Never>] = []

        mutating func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
            guard sessions.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    /// Called once, before any of the sessions is opened.
    func begin(_ sessions: [Session]) {
        state.withLock { state in
            state.isAwaited = true
            state.sessions = Set(sessions.map { ObjectIdentifier($0) })
        }
    }

    /// False where the sessions were opened before, and where none was stored.
    func start() -> Bool {
        state.withLock { state in
            defer { state.isAwaited = false }
            return state.isAwaited
        }
    }

    /// The session has gone on, or never will.
    ///
    /// - Parameter failure: it can't go on, and takes all others along.
    func end(_ session: Session, _ failure: (any Error)? = nil) {
        let waiters = state.withLock { state in
            state.sessions.remove(ObjectIdentifier(session))
            if let failure, state.failure == nil {
                state.failure = SceneFailed(viewModel: session.viewModelName, reason: "\(failure)")
            }
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The session has gone on: returns when all have.
    ///
    /// - Throws: where one of them can't.
    func wait(after session: Session) async throws {
        end(session)
        await withUnsafeContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.sessions.isEmpty { state.waiters.append(continuation) }
                return state.sessions.isEmpty
            }
            if isOver { continuation.resume() }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

/// Another session on the same screen can't go on.
struct SceneFailed: Error, CustomStringConvertible {
    let viewModel: String
    let reason: String

    var description: String { "\(viewModel), which is on its screen, can't go on: \(reason)" }
}
