import JSON

extension JSONTree {
    /// For people and for diffs: what fits into a line stands in one, all else a member a line, indented by two blanks.
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
                // A comma may follow.
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

    /// In one line, with blanks where people expect them.
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
