package import JSON

/// What a request was answered with. Borrows the message's bytes: valid only while they are.
package enum Response {
    case result(JSONValue)
    /// As it was sent, whatever that is.
    case error(JSONValue)

    var isEmptyError: Bool {
        if case .error(let value) = self { value.kind == .null } else { false }
    }
}
