/// `Decodable` values from JSON, each type in its own `Codable` form.
///
/// `Date` is RFC 3339, `Data` base64, `URL` and `UUID` are strings, `Decimal` is a number with all its digits. Unknown
/// members are ignored, and of duplicate ones the last counts.
package struct ValueDecoder {
    package init() {}

    /// `path` is where `value` stands in the message; errors begin with it.
    package func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at path: JSONPointer = .root
    ) throws(JSONCodingError) -> T {
        try DecodingState.decode(value, at: path) { state in try state.decode(type, at: 0) }
    }
}
