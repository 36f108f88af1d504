package import JSON

/// One JSON-RPC 2.0 message as the other side sent it, valid or not.
///
/// Borrows the bytes that it was read from, and is valid only as long as they are.
package enum Message {
    /// A request, which is owed exactly one answer.
    case request(id: RequestID, method: MethodName, params: JSONValue?)
    /// A notification, which is owed no answer.
    case notification(method: MethodName, params: JSONValue?)
    /// A cancellation of the request with this id, in the form of `Dialect.cancellationMethod`. It is owed no answer of its
    /// own.
    case cancellation(id: RequestID)
    /// The answer to a request of this side. The id is nil where it is neither a string nor an integer.
    case response(id: RequestID?, Response)
    /// A value that is no JSON-RPC 2.0 message. It is answered with this error, and with the id where one could be read.
    case invalid(RPCError, id: RequestID?)
}

/// The answer to a request. Borrows the message's bytes.
package enum Response {
    case result(JSONValue)
    /// The error as it was sent, which may be any JSON value.
    case error(JSONValue)

    var isEmptyError: Bool {
        if case .error(let value) = self { value.kind == .null } else { false }
    }
}

/// A method's name in a message. Borrows the message's bytes, so that it is compared without making a `String`.
package struct MethodName: CustomStringConvertible {
    private let text: JSONValue

    /// Takes a method's name; nil when `value` is no string.
    init?(_ value: JSONValue) {
        guard value.kind == .string else { return nil }
        text = value
    }

    /// The name for errors and logs, cut to 200 bytes of JSON text.
    package var description: String { text.string()?.cut(toJSONBytes: 200) ?? "" }

    /// Whether the name is `expected`, however it is escaped in JSON.
    package static func == (name: MethodName, expected: StaticString) -> Bool {
        name.text.isString(expected)
    }

    /// Returns the name's index in `names`. Nearly all comparisons end at the length, so searching a few names is faster than
    /// hashing.
    package func place(in names: [StaticString]) -> Int? {
        guard let key = text.key else { return nil }
        return names.firstIndex { key == $0 }
    }
}
