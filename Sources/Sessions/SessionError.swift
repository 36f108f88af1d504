import JSON
import ViewModels

/// Why a session refused a client's request.
package enum SessionError: Error, Sendable, Equatable, Codable {
    /// The session has ended.
    case ended
    /// The view's client has attached again under the same name; the session goes on.
    case replaced
    /// `member` of the params can't be taken.
    case invalid(member: String, reason: String)
    /// The view was detached before its attachment was done.
    case detached
    /// There are neither the events that the view needs nor a snapshot. `oldest` is the smallest number from which on all
    /// events can still be sent, and `reason` says why a view model that makes snapshots made none.
    case replayUnavailable(oldest: Int, reason: String? = nil)
    /// The bound `limit` is reached.
    case limitExceeded(limit: String, message: String)
    /// Nothing can be stored now, so a durable session takes nothing.
    case storeUnavailable(String)
    /// The session goes on at another server. Nothing is answered here.
    case lost
    /// The session's view model failed in this life. The session is in the store, and may go on in another life.
    case failed(String)
}

extension SessionError {
    /// Returns the error for an owner whose sessions hold more than `maximum` bytes while memory runs short.
    package static func aboveShare(_ maximum: Int) -> SessionError {
        let held = "your sessions hold more than \(maximum) bytes of it"
        let message = "memory runs short, and \(held); close some, or try again later"
        return .limitExceeded(limit: "addressBytes", message: message)
    }
}

/// A view model's error as text. The text is made where the view model's code is called: an error's own description is the view
/// model's code, too, and must hold up nobody else.
struct ToldError: Error, CustomStringConvertible {
    let description: String

    /// Makes the text of an error. What this module throws stays as it is.
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
    /// The session was presented, and is no longer.
    case dismissed
    /// The session was pushed, and is no longer.
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
