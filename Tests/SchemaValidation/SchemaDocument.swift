import JSON

/// A JSON Schema, draft 2020-12, that judges values.
///
/// Supports the keywords that this project's schemas use; `SchemaReader` lists them. Any other keyword, a keyword with
/// a value of the wrong kind, and a `$ref` that leads nowhere are errors when the schema is read. Numbers are compared
/// exactly.
///
/// The root may also have the members of a view model's contract: `name`, a string, and `arguments`, `viewEvent`,
/// `viewModelEvent`, `state` and `savedArguments`, each a schema to be chosen by its pointer, `lists`, with the
/// schema of each list's `row`, and `shared`, with schemas by name. The keywords of contracts are passed over.
package struct SchemaDocument: Sendable {
    private let nodes: [SchemaNode]
    /// By JSON Pointer.
    private let indices: [String: Int]

    /// - Parameter text: the schema's JSON.
    /// - Throws: where the text is no JSON, or a schema in it isn't supported.
    package init(text: String) throws(SchemaError) {
        let tree: ExactJSON
        do throws(JSONError) {
            tree = try ExactJSON(text: text)
        } catch {
            throw SchemaError(place: "#", reason: "is no JSON: \(error)")
        }
        var reader = SchemaReader(document: tree)
        (nodes, indices) = try reader.read()
    }

    /// The JSON Pointers of all its schemas: what `pointer` below may be.
    package var pointers: [String] { indices.keys.sorted() }

    /// All violations in a value; none when it is valid.
    ///
    /// - Parameter pointer: the schema of the document to judge by, such as `/$defs/name`. An unknown one is a
    ///   violation.
    package func validate(_ instance: ExactJSON, by pointer: String = "") -> [Violation] {
        guard let index = indices[pointer] else {
            return [Violation(instancePath: "", schemaPath: "#\(pointer)", reason: "has no such schema")]
        }
        return Validation(nodes: nodes).findings(in: instance, by: index).map(\.violation)
    }

    /// - Parameter text: JSON; other text is a violation.
    package func validate(text: String, by pointer: String = "") -> [Violation] {
        do throws(JSONError) {
            return validate(try ExactJSON(text: text), by: pointer)
        } catch {
            return [Violation(instancePath: "", schemaPath: "#", reason: "is no JSON: \(error)")]
        }
    }
}

/// Why a schema can't be used.
package struct SchemaError: Error, Hashable, CustomStringConvertible {
    /// `#` and the JSON Pointer of the keyword or schema.
    package let place: String
    package let reason: String

    package var description: String { "\(place): \(reason)" }
}

/// One way in which a value differs from its schema.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The JSON Pointer of the wrong value.
    package let instancePath: String
    /// `#` and the JSON Pointer of the violated keyword; after a `$ref`, in the schema referred to.
    package let schemaPath: String
    package let reason: String

    package var description: String {
        "\(instancePath.isEmpty ? "the value" : instancePath) \(reason) (\(schemaPath))"
    }
}
