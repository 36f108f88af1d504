extension ExactJSON: CustomStringConvertible {
    /// For people, and shortened.
    package var description: String {
        let text = text
        return text.count > 120 ? "\(text.prefix(117))..." : text
    }

    /// JSON of the same meaning. Numbers are written anew, strings and names with no more escapes than they need.
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

extension ExactNumber {
    var text: String {
        guard !digits.isEmpty else { return "0" }
        let significand = (isNegative ? "-" : "") + digits.map { "\($0)" }.joined()
        switch exponent {
        case 0: return significand
        case 1...20: return significand + String(repeating: "0", count: exponent)
        default: return "\(significand)e\(exponent)"
        }
    }
}
