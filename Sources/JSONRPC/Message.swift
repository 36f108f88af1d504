package import JSON

/// One JSON-RPC 2.0 message as the other side sent it, valid or not.
///
/// Borrows the bytes that it was read from, and is valid only as long as they are.
package enum Message {
    /// Owed exactly one answer.
    case request(id: RequestID, method: MethodName, params: JSONValue?)
    /// Owed none.
    case notification(method: MethodName, params: JSONValue?)
    /// Gives up on the request with this id, in the form of `Dialect.cancellationMethod`. Owed no answer of its own.
    case cancellation(id: RequestID)
    /// The answer to a request of this side. The id is nil where it is neither a string nor an integer.
    case response(id: RequestID?, Response)
    /// Not a JSON-RPC 2.0 message. Owed this error, with the id where one could be read.
    case invalid(RPCError, id: RequestID?)
}

/// The answer to a request. Borrows the message's bytes.
package enum Response {
    case result(JSONValue)
    /// As it was sent; any JSON.
    case error(JSONValue)

    var isEmptyError: Bool {
        if case .error(let value) = self { value.kind == .null } else { false }
    }
}

/// A method's name in a message. Borrows the message's bytes, so that it is compared without making a `String`.
package struct MethodName: CustomStringConvertible {
    private let text: JSONValue

    /// Nil when `value` is no string.
    init?(_ value: JSONValue) {
        guard value.kind == .string else { return nil }
        text = value
    }

    /// Cut, as it goes into errors and logs.
    package var description: String { text.string()?.cut(toJSONBytes: 200) ?? "" }

    /// Whether this is the name, however it is escaped.
    package static func == (name: MethodName, expected: StaticString) -> Bool {
        name.text.isString(expected)
    }

    /// Its index among `names`. Nearly all comparisons end at the length, so a few names are searched sooner than
    /// hashed.
    package func place(in names: [StaticString]) -> Int? {
        guard let key = text.key else { return nil }
        return names.firstIndex { key == $0 }
    }
}
