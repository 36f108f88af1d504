package import JSON
package import Transcripts

/// A test of a client without I/O: decides what the server and the user do next, and judges what the client does.
///
/// The owner calls one of the mutating functions for each thing that happens, and performs the returned actions in order. After
/// `end` no action follows.
package protocol Play {
    /// A number that grows with each step that is done.
    var progress: Int { get }
    mutating func begin() -> [PlayAction]
    /// Takes a message that the client sent on a connection. Connections are counted from 1, in the order in which they were
    /// made.
    mutating func receive(_ message: JSONText, on connection: Int) -> [PlayAction]
    /// Notes that the client or the server ended a connection.
    mutating func receiveEnd(of connection: Int) -> [PlayAction]
    /// Notes that the client tried to connect while connections are closed as soon as they are made.
    ///
    /// - Parameter time: the time since connections are closed in this way.
    mutating func turnAway(after time: Duration) -> [PlayAction]
    /// Takes bytes from the client that aren't a message.
    mutating func receiveGarbage(_ text: String, on connection: Int) -> [PlayAction]
    /// Takes the driver's answer to the last command.
    mutating func receiveAnswer(_ answer: JSONText) -> [PlayAction]
    /// Asks the driver again what the user sees. Called some time after `pause`.
    mutating func lookAgain() -> [PlayAction]
    /// Ends the play, since something didn't come for as long as the owner waits.
    mutating func giveUp(_ reason: String) -> [PlayAction]
}

package enum PlayAction: Sendable {
    /// Give the driver a command, which it answers.
    case tell(JSONText)
    /// Call `lookAgain` a little later.
    case pause
    case send(JSONText, connection: Int)
    case cut(connection: Int)
    /// Send the first half of this message's bytes. A `cut` follows.
    case sendHalf(JSONText, connection: Int)
    /// Accept connections, or close them as soon as they are made.
    case door(isOpen: Bool)
    case end(PlayOutcome)
}

package enum PlayOutcome: Sendable {
    case kept
    case broken(PlayerFailure)
    /// The driver says that the client lacks what was asked for.
    case lacking(String)
    /// The driver doesn't exist or can't be run. The status is the one that a shell uses for that.
    case notStarted(status: Int32)
}

/// The driver's answer to a command.
enum DriverAnswer {
    case done
    /// The client couldn't do it: `{"error":"…"}`.
    case failed(String)
    /// The client lacks this: `{"lacks":"…"}`.
    case lacking(String)
    /// The client's views: the value of `views` in `{"views":{…}}`.
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
