/// Why a schema can't be used. Nothing in a schema is passed over: what isn't known is an error.
package struct SchemaError: Error, Hashable, CustomStringConvertible {
    /// The place in the schema: its document, `#` and a JSON Pointer.
    package let place: String
    package let reason: String

    package var description: String { "\(place): \(reason)" }
}
