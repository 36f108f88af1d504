/// A JSON Pointer (RFC 6901): a place in a JSON text. A pointer of up to 15 bytes takes no memory of its own.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    package static let root = JSONPointer(description: "")

    /// The pointer as text, such as `/event/rows/3`, with `~1` for a `/` in a name and `~0` for a `~`; empty for the whole
    /// text.
    package let description: String

    private init(description: String) {
        self.description = description
    }

    /// The unescaped names of members and indices of elements that the pointer consists of, from the outermost.
    package var steps: [String] {
        description.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0.replacing("~1", with: "/").replacing("~0", with: "~"))
        }
    }

    package func appending(_ member: String) -> JSONPointer {
        var text = description
        text.append("/")
        for scalar in member.unicodeScalars {
            switch scalar {
            case "~": text.append("~0")
            case "/": text.append("~1")
            default: text.unicodeScalars.append(scalar)
            }
        }
        return JSONPointer(description: text)
    }

    /// Returns the place of `part` within the value at this place.
    package func appending(_ part: JSONPointer) -> JSONPointer {
        JSONPointer(description: description + part.description)
    }

    package func appending(_ index: Int) -> JSONPointer {
        JSONPointer(description: "\(description)/\(index)")
    }
}

/// A pointer from a literal such as `"/event/index"`, already escaped. Nothing is checked, so don't use it for text from
/// outside.
extension JSONPointer: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.init(description: value)
    }
}
