package import JSON

/// A JSON value with all that is in it, equal to another that means the same: numbers by their value, objects whatever the
/// order of their members.
package enum ExactJSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(ExactNumber)
    case string(ExactString)
    case array([ExactJSON])
    /// Of duplicate names the last one counts.
    case object([ExactString: ExactJSON])

    package init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .boolean: self = .boolean(value.boolean() ?? false)
        case .number: self = .number(ExactNumber(value))
        case .string: self = .string(ExactString(value.string() ?? ""))
        case .array:
            var elements: [ExactJSON] = []
            value.forEachElement { elements.append(ExactJSON($0)) }
            self = .array(elements)
        case .object:
            var members: [ExactString: ExactJSON] = [:]
            value.forEachMember { members[ExactString($0.string())] = ExactJSON($1) }
            self = .object(members)
        }
    }

    /// - Parameter text: JSON.
    package init(text: String) throws(JSONError) {
        self = try ExactJSON(bytes: Array(text.utf8))
    }

    package init(bytes: [UInt8]) throws(JSONError) {
        // The array's own door throws any error.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) -> ExactJSON in ExactJSON(try JSONValue(validating: bytes)) }
        }
        self = try result.get()
    }

    /// Nil when it is no object or has no such member.
    package subscript(name: String) -> ExactJSON? {
        guard case .object(let members) = self else { return nil }
        return members[ExactString(name)]
    }

    package var string: String? {
        guard case .string(let string) = self else { return nil }
        return string.string
    }

    package var elements: [ExactJSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// In a settled order, for messages that read the same each time.
    package var members: [(name: String, value: ExactJSON)]? {
        guard case .object(let members) = self else { return nil }
        return members.map { ($0.key.string, $0.value) }.sorted { $0.name < $1.name }
    }
}
