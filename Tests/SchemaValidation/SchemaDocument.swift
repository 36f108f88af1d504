package import JSON

/// A JSON Schema, draft 2020-12, ready to judge values.
///
/// What a schema says that isn't supported is an error when it is read, never passed over: an unknown keyword, a reference
/// that leads nowhere, a keyword with a value of the wrong kind. Supported are the keywords of the core, applicator and
/// validation vocabularies but `$dynamicRef`, `$dynamicAnchor` and `$vocabulary`; nothing of `unevaluated…`; of `$id` only
/// the document's own. `format` and `content…` are annotations. Numbers are compared exactly.
///
/// The root of a document may have the members `name`, a string, and `arguments`, `viewEvent` and `viewModelEvent`, each a
/// schema to be chosen by its pointer.
package struct SchemaDocument: Sendable {
    /// All schemas of this document and of those that it may refer to.
    private let nodes: [SchemaNode]
    private let indices: [String: Int]

    /// - Parameters:
    ///   - text: the schema's JSON.
    ///   - others: texts of other schemas by the file name with which a `$ref` starts.
    package init(text: String, others: [String: String] = [:]) throws(SchemaError) {
        try self.init(Self.tree(text, of: ""), others: others)
    }

    package init(_ schema: ExactJSON, others: [String: String] = [:]) throws(SchemaError) {
        var documents = ["": schema]
        for (name, text) in others { documents[name] = try Self.tree(text, of: name) }
        var reader = SchemaReader(documents: documents)
        (nodes, indices) = try reader.read()
    }

    /// The schemas of this document, each by its JSON Pointer: what `pointer` below may be.
    package var pointers: [String] {
        indices.keys.filter { $0.hasPrefix("#") }.map { String($0.dropFirst()) }.sorted()
    }

    /// What is wrong with a value; nothing when it is valid.
    ///
    /// - Parameter pointer: which schema of the document judges it, as `/$defs/name`. Where there is none, that is a
    ///   violation, whatever the value.
    package func validate(_ instance: ExactJSON, by pointer: String = "") -> [Violation] {
        guard let index = indices["#\(pointer)"] else {
            let reason = "is judged by a schema that isn't there"
            return [Violation(instancePath: "", schemaPath: "#\(pointer)", reason: reason)]
        }
        return Validation(nodes: nodes).findings(in: instance, by: index).map(\.violation)
    }

    package func validate(_ instance: JSONValue, by pointer: String = "") -> [Violation] {
        validate(ExactJSON(instance), by: pointer)
    }

    /// - Parameter text: JSON; other text is a violation.
    package func validate(text: String, by pointer: String = "") -> [Violation] {
        do throws(JSONError) {
            return validate(try ExactJSON(text: text), by: pointer)
        } catch {
            return [Violation(instancePath: "", schemaPath: "#", reason: "is no JSON: \(error)")]
        }
    }

    private static func tree(_ text: String, of name: String) throws(SchemaError) -> ExactJSON {
        do throws(JSONError) {
            return try ExactJSON(text: text)
        } catch {
            throw SchemaError(place: "\(name)#", reason: "is no JSON: \(error)")
        }
    }
}
