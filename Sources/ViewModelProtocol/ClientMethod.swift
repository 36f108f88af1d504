package import JSONRPC

/// A method that clients call: its name, when it may be sent, its params and its result.
///
/// A conforming type is never made; it names what belongs together. Its doc comment, and those of the members of `Params`
/// and `Result`, become the descriptions of `Schemas/protocol.schema.json`, `Schemas/openrpc.json` and the reference.
/// `SessionDetach` is a short example. A new method is a file in `Methods/` and a line in the server's list of methods.
package protocol ClientMethod: Sendable {
    /// An object. Optional members may be absent or null, and members that it doesn't have are ignored.
    associatedtype Params: Codable & Sendable
    /// `Never` for a notification, which has no answer. Of an object, members that are nil are absent.
    associatedtype Result: Codable & Sendable

    static var name: StaticString { get }
    static var kind: MethodKind { get }
    static var allowance: Allowance { get }
    static var viewEffect: ViewEffect { get }
    /// The errors that it is answered with, beside those that every request may be.
    static var errors: [ErrorCode] { get }
    /// Exchanges that have happened: each occurs in a transcript of `Tests/Transcripts`.
    static var examples: [MessageExample] { get }
}

/// How a method may be sent.
package enum MethodKind: String, Sendable {
    case request
    case notification
    case either
}

/// When a method may be sent.
package enum Allowance: Sendable {
    /// As the first message, once.
    case first
    /// After `initialize` and before `shutdown`.
    case initialized
    /// At any time.
    case always
}

/// What a method does to the views of its client, as a server must know that passes it on to where the sessions are.
package enum ViewEffect: Sendable {
    /// Nothing. A view that it is about is the `session` of its params.
    case none
    /// The `session` of its result is a new view.
    case attaches
    /// The `session` of its params is gone with its result.
    case ends
    /// It is about the connection as a whole, and is done by the server that has this.
    case ofConnection
}

extension ClientMethod {
    package static var kind: MethodKind { Result.self == Never.self ? .notification : .request }
    package static var allowance: Allowance { .initialized }
    package static var viewEffect: ViewEffect { .none }
    package static var errors: [ErrorCode] { [] }
}

/// A message with its answer, as they are on the wire.
package struct MessageExample: Sendable {
    /// A few words, such as "a numbered event".
    package let name: String
    /// JSON text of an object.
    package let params: String
    /// JSON text of the answer; nil for a notification.
    package let result: String?

    package init(_ name: String, _ params: String = "{}", result: String? = nil) {
        self.name = name
        self.params = params
        self.result = result
    }
}

/// An object whose schema says more than the types of its members can.
package protocol ConstrainedObject: Codable, Sendable {
    /// JSON text of an object with keywords of JSON Schema, which don't describe single members.
    static var constraints: String { get }
}
