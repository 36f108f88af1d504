import JSON
import ViewModels

/// Why a session refused a client's request.
package enum SessionError: Error, Sendable, Equatable, Codable {
    /// It has ended.
    case ended
    /// It goes on, and the view's client has attached again under the same name.
    case replaced
    /// `member` of the params can't be taken.
    case invalid(member: String, reason: String)
    /// The view was detached before its attachment was done.
    case detached
    /// There are neither the events nor a snapshot. `oldest` is the oldest number that is kept, and `reason` says why
    /// a view model that makes snapshots made none.
    case replayUnavailable(oldest: Int, reason: String? = nil)
    /// The bound `limit` is reached.
    case limitExceeded(limit: String, message: String)
    /// Nothing can be stored now, so a durable session takes nothing.
    case storeUnavailable(String)
    /// It goes on at another server. Nothing is answered here.
    case lost
    /// Its view model failed in this life. It is in the store, and may go on in another.
    case failed(String)
}

extension SessionError {
    /// The sessions of an owner hold more than `maximum` bytes while memory runs short.
    package static func aboveShare(_ maximum: Int) -> SessionError {
        let held = "your sessions hold more than \(maximum) bytes of it"
        let message = "memory runs short, and \(held); close some, or try again later"
        return .limitExceeded(limit: "addressBytes", message: message)
    }
}

/// The error of a view model, by its words, which are asked for where its code is called: what an error says of itself is its code,
/// too, and holds up nobody else there.
struct ToldError: Error, CustomStringConvertible {
    let description: String

    /// What this module throws stays as it is.
    static func telling(_ error: any Error) -> any Error {
        switch error {
        case is SessionError, is UndecodedEvent, is JSONCodingError, is InvalidArgument, is CancellationError, is Self:
            error
        default: Self(description: "\(error)")
        }
    }
}

/// Why a view's session ended other than by its own `session/close`: the `reason` of `session/closed`.
package enum EndReason: String, Sendable {
    /// Another view closed it, no view came back in time, or it wasn't needed any more.
    case closed
    /// It was presented, and is no longer.
    case dismissed
    /// It was pushed, and is no longer.
    case popped
    /// The view model failed to start.
    case failed
    /// The view did not read its events; the session goes on.
    case overflow
    /// The view's client attached again under its name; the session goes on.
    case replaced
    /// The server ends.
    case serverShutdown
}
