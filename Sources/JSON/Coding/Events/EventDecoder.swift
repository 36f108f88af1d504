/// A View's event from its flat shape on the wire: `{"kind":"selectOrder","index":3}`.
///
/// For enums with synthesized `Codable`, enums of strings, and types whose own `Codable` reads the flat members. Only
/// the event itself has this shape; what is in it has its own `Codable` form, as with `ValueDecoder`.
package struct EventDecoder {
    package init() {}

    /// `path` is where `value` stands in the message; errors begin with it.
    package func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: JSONPointer = .root
    ) throws(JSONCodingError) -> T {
        guard value.kind == .object else {
            throw JSONCodingError(path: path, reason: "expected an object but found \(value.kind)")
        }
        return try DecodingState.decode(value, at: path) { state in
            try state.initializeEvent(type)
        } failure: { state, error in
            kindError(state, error, at: path)
        }
    }

    /// A synthesized `init(from:)` fails for an unknown kind in words that speak of keys, at the event's own path.
    private func kindError(_ state: DecodingState, _ error: any Error, at path: JSONPointer) -> JSONCodingError? {
        guard let reason = state.kindFailure, let error = error as? DecodingError else { return nil }
        switch error {
        case .typeMismatch(_, let context) where context.codingPath.isEmpty,
            .dataCorrupted(let context) where context.codingPath.isEmpty:
            return JSONCodingError(path: path.appending(EventShape.kind), reason: reason)
        default:
            return nil
        }
    }
}
