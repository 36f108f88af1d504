import Synchronization

/// The barrier at which the view models of a stored scene wait for each other when they come back.
///
/// None handles an event before all have resumed: an event of one may concern another, which has yet to subscribe again. Any
/// thread may call it.
final class Resumption: Sendable {
    private struct State {
        /// Whether the scene was stored and its view models have yet to be opened.
        var isAwaited = false
        /// The sessions that have neither resumed nor ended yet.
        var sessions: Set<ObjectIdentifier> = []
        /// The first failure to resume. It fails the whole scene.
        var failure: SceneFailed?
        var waiters: [UnsafeContinuation<Void, Never>] = []

        mutating func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
            guard sessions.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    /// Makes these the sessions that are waited for. Called once, before any of them is opened.
    func begin(_ sessions: [Session]) {
        state.withLock { state in
            state.isAwaited = true
            state.sessions = Set(sessions.map { ObjectIdentifier($0) })
        }
    }

    /// Claims the opening of the sessions for the caller.
    ///
    /// - Returns: false where another call has claimed it, and where no session was stored.
    func start() -> Bool {
        state.withLock { state in
            defer { state.isAwaited = false }
            return state.isAwaited
        }
    }

    /// Notes that a session has resumed, or never will.
    ///
    /// - Parameter failure: why it can't resume. All others of the scene fail with it.
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

    /// Notes that a session has resumed, and returns once all have.
    ///
    /// - Throws: `SceneFailed` where one of them can't resume.
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

/// The error for a session that can't go on because another one on its screen can't.
struct SceneFailed: Error, CustomStringConvertible {
    let viewModel: String
    let reason: String

    var description: String { "\(viewModel), which is on its screen, can't go on: \(reason)" }
}
