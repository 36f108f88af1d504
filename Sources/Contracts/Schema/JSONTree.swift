package import JSON

/// A JSON value that owns what it holds, its members in their order: for documents that are made or compared as a whole.
package indirect enum JSONTree: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// As it is written.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    package struct Member: Equatable, Sendable {
        package var name: String
        package var value: JSONTree

        package init(_ name: String, _ value: JSONTree) {
            self.name = name
            self.value = value
        }
    }

    package init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .boolean: self = .boolean(value.boolean() ?? false)
        case .number: self = .number(String(decoding: value.text, as: UTF8.self))
        case .string: self = .string(value.string() ?? "")
        case .array:
            var elements: [JSONTree] = []
            value.forEachElement { elements.append(JSONTree($0)) }
            self = .array(elements)
        case .object:
            var members: [Member] = []
            value.forEachMember { members.append(Member($0.string(), JSONTree($1))) }
            self = .object(members)
        }
    }

    /// - Throws: `JSONError` where `text` isn't one JSON value.
    package init(parsing text: String) throws(JSONError) {
        var text = text
        let result: Result<JSONTree, JSONError> = text.withUTF8 { bytes in
            Result { () throws(JSONError) in JSONTree(try JSONValue(validating: UnsafeRawBufferPointer(bytes))) }
        }
        self = try result.get()
    }

    /// The member of this name; nil without one, and in what is no object.
    package subscript(_ name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let text): writer.raw(Array(text.utf8))
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(into: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.name)
                member.value.write(into: &writer)
            }
            writer.endObject()
        }
    }
}
