package import JSON
package import Transcripts

/// One side of a test of a client: says what the server and the user do next, and judges what comes of it.
///
/// A value without I/O: the owner calls one of the mutating functions for each thing that happens, and performs the
/// returned actions in order. After `end` no action follows.
package protocol Play {
    /// Grows with each step that is done.
    var progress: Int { get }
    mutating func begin() -> [PlayAction]
    /// The client sent a message on a connection; they are counted from 1, in the order in which they were made.
    mutating func receive(_ message: JSONText, on connection: Int) -> [PlayAction]
    /// The client, or the server, ended a connection.
    mutating func receiveEnd(of connection: Int) -> [PlayAction]
    /// The client tried to connect while connections are closed as soon as they are made.
    ///
    /// - Parameter time: since that is so.
    mutating func turnAway(after time: Duration) -> [PlayAction]
    /// What the client sent isn't a message.
    mutating func receiveGarbage(_ text: String, on connection: Int) -> [PlayAction]
    /// The driver answered the command that it was told last.
    mutating func receiveAnswer(_ answer: JSONText) -> [PlayAction]
    /// The driver may be asked again what is to be seen.
    mutating func lookAgain() -> [PlayAction]
    /// What is waited for hasn't come for as long as the owner waits.
    mutating func giveUp(_ reason: String) -> [PlayAction]
}

package enum PlayAction: Sendable {
    /// Tell the driver to do something, which it answers.
    case tell(JSONText)
    /// Call `lookAgain` a little later.
    case pause
    case send(JSONText, connection: Int)
    case cut(connection: Int)
    /// Send the first half of this message's bytes. A cut follows.
    case sendHalf(JSONText, connection: Int)
    /// Take connections, or close them as soon as they are made.
    case door(isOpen: Bool)
    case end(PlayOutcome)
}

package enum PlayOutcome: Sendable {
    case kept
    case broken(PlayerFailure)
    /// The driver says that the client has no such thing.
    case lacking(String)
    /// There is no such driver, or it can't be run; the status is a shell's for that.
    case notStarted(status: Int32)
}

/// What the driver answered.
enum DriverAnswer {
    case done
    /// `{"error":"…"}`
    case failed(String)
    /// `{"lacks":"…"}`
    case lacking(String)
    /// `{"views":{…}}`, the views alone.
    case views(JSONText)

    init(_ answer: JSONText) {
        self = answer.withValue { answer in
            if let reason = answer.member("error") { return .failed(reason.string() ?? "\(JSONText(reason))") }
            if let thing = answer.member("lacks")?.string() { return .lacking(thing) }
            if let views = answer.member("views") { return .views(JSONText(views)) }
            return .done
        }
    }

    static let look = JSONText { $0.literal(#"{"do":"look"}"#) }
}
