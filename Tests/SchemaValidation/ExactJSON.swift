package import JSON

/// A JSON value that equals another one of the same meaning: numbers by their value, objects in any order of members.
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

    /// - Throws: where `text` is no JSON.
    package init(text: String) throws(JSONError) {
        let bytes = Array(text.utf8)
        // The array's own method throws any error.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) -> ExactJSON in ExactJSON(try JSONValue(validating: bytes)) }
        }
        self = try result.get()
    }

    /// A member of an object; nil for other values, and where there is no such member.
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

    /// By name, so that messages read the same each time.
    package var members: [(name: String, value: ExactJSON)]? {
        guard case .object(let members) = self else { return nil }
        return members.map { ($0.key.string, $0.value) }.sorted { $0.name < $1.name }
    }
}

extension ExactJSON: CustomStringConvertible {
    /// Shortened, for error texts.
    package var description: String {
        let text = text
        return text.count > 120 ? "\(text.prefix(117))..." : text
    }

    /// JSON of the same meaning.
    package var text: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let number): number.text
        case .string(let string): Self.quoted(string.string)
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object:
            "{\((members ?? []).map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

/// A string that equals another of the same scalars, as in JSON. (`String` equates a letter with an accent and the same
/// letter followed by a combining accent.)
package struct ExactString: Hashable, Sendable, ExpressibleByStringLiteral {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package init(stringLiteral value: String) {
        string = value
    }

    package static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
