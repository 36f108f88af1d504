package import JSON

/// A JSON value whose objects keep the order of their members, for documents that are made or compared as a whole.
package indirect enum JSONTree: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A number as its text, so that no digit is lost.
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

    /// Parses a text. Throws `JSONError` if it isn't one JSON value.
    package init(parsing text: String) throws(JSONError) {
        var text = text
        let result: Result<JSONTree, JSONError> = text.withUTF8 { bytes in
            Result { () throws(JSONError) in JSONTree(try JSONValue(validating: UnsafeRawBufferPointer(bytes))) }
        }
        self = try result.get()
    }

    /// The value of the first member of this name; nil if there is none, or this isn't an object.
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

extension JSONTree {
    /// Returns the value as text with a line end: on one line if it fits, otherwise a line for each part, indented by two.
    ///
    /// - Parameter lineLength: the maximum length of a line, in bytes.
    package func text(lineLength: Int = 100) -> String {
        var text = ""
        append(to: &text, indentation: 0, used: 0, lineLength: lineLength)
        return text + "\n"
    }

    private func append(to text: inout String, indentation: Int, used: Int, lineLength: Int) {
        let line = self.line
        if used + line.utf8.count <= lineLength || isEmpty {
            text += line
            return
        }
        let inner = String(repeating: " ", count: indentation + 2)
        func appendAll(_ parts: [(prefix: String, value: JSONTree)]) {
            for (index, part) in parts.enumerated() {
                text += "\(index == 0 ? "" : ",")\n\(inner)\(part.prefix)"
                // One byte of room for a comma.
                part.value.append(
                    to: &text, indentation: indentation + 2, used: inner.count + part.prefix.utf8.count + 1,
                    lineLength: lineLength)
            }
            text += "\n" + String(repeating: " ", count: indentation)
        }
        switch self {
        case .array(let elements):
            text += "["
            appendAll(elements.map { ("", $0) })
            text += "]"
        case .object(let members):
            text += "{"
            appendAll(members.map { ("\(JSONTree.string($0.name).line): ", $0.value) })
            text += "}"
        default:
            text += line
        }
    }

    private var isEmpty: Bool {
        switch self {
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: true
        }
    }

    /// The value as text on one line, with blanks behind commas and colons.
    package var line: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let text): text
        case .string(let value): Self.quoted(value)
        case .array(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
        case .object(let members):
            members.isEmpty
                ? "{}"
                : "{ " + members.map { "\(Self.quoted($0.name)): \($0.value.line)" }.joined(separator: ", ") + " }"
        }
    }

    private static func quoted(_ value: String) -> String {
        var writer = JSONWriter()
        writer.string(value)
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}
