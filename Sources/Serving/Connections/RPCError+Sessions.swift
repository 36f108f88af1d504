import JSON
import JSONRPC
import Sessions
import ViewModelProtocol
import ViewModels

// Sessions know nothing of JSON-RPC. This file puts their errors, their progress and their work in JSON-RPC's terms.

extension RPCError {
    init(_ error: SessionError) {
        switch error {
        case .ended:
            self.init(.unknownSession, "the session has ended")
        case .replaced:
            self.init(.unknownSession, "this view was replaced: its client has attached again under the same name")
        case .invalid(let member, let reason):
            self = .invalidParams(at: JSONPointer.root.appending(member), reason)
        case .detached:
            self.init(.requestCancelled, "the view was taken off before it was attached")
        case .replayUnavailable(let oldest, let reason):
            let reason = reason.map { ", and the view model has no snapshot: \($0)" } ?? ""
            let advice = "attach with a \"since\" of at least \(oldest - 1)"
            self.init(
                .replayUnavailable, "earlier events are no longer kept\(reason); \(advice)",
                with: ReplayUnavailableData(oldest: .init(oldest)))
        case .limitExceeded(let limit, let message):
            self = .limitExceeded(limit, message)
        case .storeUnavailable(let reason):
            self = .storeUnavailable(reason)
        case .lost:
            self = .sessionIsLost
        case .failed(let reason):
            self.init(.viewModelFailed, reason)
        }
    }

    /// Makes the error for an exceeded limit. It has the time after which a retry may help, where the table of limits has
    /// one.
    static func limitExceeded(_ limit: String, _ message: String) -> RPCError {
        .limitExceeded(limit, message, retryAfterMilliseconds: Limit(named: limit)?.retryAfterMilliseconds)
    }

    /// Makes the answer to a request whose job didn't succeed.
    init(_ outcome: ViewEventJob.Outcome) {
        switch outcome {
        case .handled: self.init(.internalError, "a handled event is no error")
        case .cancelled: self.init(.requestCancelled, "cancelled")
        case .superseded: self = .superseded
        case .sessionEnded: self.init(.unknownSession, "the session was closed before this was done")
        case .lost: self = .sessionIsLost
        case .failed(let error as JSONCodingError): self = .invalidParams(error)
        case .failed(let error as UndecodedEvent): self = .invalidEvent(error.error)
        case .failed(let error as SessionError): self.init(error)
        case .failed(let error): self.init(.viewModelFailed, "\(error)")
        }
    }
}

extension RPCError {
    /// Makes the error for a view event that can't be decoded.
    ///
    /// - Parameter error: the error, whose path begins at the event.
    static func invalidEvent(_ error: JSONCodingError) -> RPCError {
        .invalidParams(at: Params.path("event").appending(error.path), error.reason)
    }

    /// Stands for a session that goes on at another server. Never sent: the connection is closed instead, and its client
    /// comes back for the session.
    static let sessionIsLost = RPCError(.internalError, "the session goes on at another server")
}

extension RPCError {
    /// Makes the answer to a `session/open` whose view model wasn't made.
    init(opening outcome: ViewEventJob.Outcome) {
        guard case .failed(let error as InvalidArgument) = outcome else {
            self.init(outcome)
            return
        }
        let path = error.path.reduce(Params.path("arguments")) { $0.appending($1) }
        self = .invalidParams(at: path, error.reason)
    }
}

extension WorkDone {
    init(_ value: WorkDoneProgress.Value, isCancellable: Bool) {
        self =
            switch value {
            case .begin(let title, let message, let percentage):
                .begin(title: title, message: message, percentage: percentage, isCancellable: isCancellable)
            case .report(let message, let percentage): .report(message: message, percentage: percentage)
            case .end(let message): .end(message: message)
            }
    }
}

extension Session: PendingWork.Worker {}

extension PendingWork {
    /// Makes the work that waits for a job of a session.
    ///
    /// - Parameter outlivesConnection: whether the client can ask for the outcome again, by the event's number or the
    ///   opening's `once`.
    init(_ session: Session, job: Int, outlivesConnection: Bool) {
        self.init(session, job, outlivesConnection: outlivesConnection)
    }
}

extension Session {
    /// Whether it has ended, so that a client who opened it gets the next one: of an end that isn't stored yet it is only said that
    /// nothing can be stored.
    func isGone(_ error: SessionError) -> Bool { error == .ended || isEndUntold }
}
