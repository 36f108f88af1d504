/// One way in which a value is not what a schema asks for.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// A JSON Pointer to what is wrong.
    package let instancePath: String
    /// The keyword that says so: its document, `#` and a JSON Pointer. After a `$ref` that is the place referred to.
    package let schemaPath: String
    package let reason: String

    package init(instancePath: String, schemaPath: String, reason: String) {
        self.instancePath = instancePath
        self.schemaPath = schemaPath
        self.reason = reason
    }

    package var description: String {
        "\(instancePath.isEmpty ? "the value" : instancePath) \(reason) (\(schemaPath))"
    }
}
