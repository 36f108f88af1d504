/// A place in a JSON text, RFC 6901. Short ones (15 bytes) take no memory of their own.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    package static let root = JSONPointer(description: "")

    /// `/event/rows/3`, with `~0` for `~` and `~1` for `/`; empty for the whole text.
    package let description: String

    private init(description: String) {
        self.description = description
    }

    /// The names of members and the indices that it is made of, from the outermost.
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

    /// The place of a part of the value that is here.
    package func appending(_ part: JSONPointer) -> JSONPointer {
        JSONPointer(description: description + part.description)
    }

    package func appending(_ index: Int) -> JSONPointer {
        JSONPointer(description: "\(description)/\(index)")
    }
}

/// `"/event/index"`, already escaped. For literals only, not for text from outside: any string is taken.
extension JSONPointer: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.init(description: value)
    }
}
