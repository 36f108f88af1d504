import JSON

/// What a hand writes into a transcript where a value varies: `{"$match":"string"}` takes any string.
enum Matcher {
    case any
    case kind(JSONValue.Kind)
    /// A number without a fraction.
    case integer
    /// The whole of a string, not a part of it.
    case pattern(Regex<AnyRegexOutput>, text: String)

    /// The names, and what each stands for.
    private static var names: KeyValuePairs<String, Matcher> {
        [
            "any": .any, "string": .kind(.string), "integer": .integer, "number": .kind(.number),
            "boolean": .kind(.boolean), "object": .kind(.object), "array": .kind(.array),
        ]
    }

    init(_ text: String) throws(InvalidMatcher) {
        if let (_, matcher) = Self.names.first(where: { $0.key == text }) {
            self = matcher
        } else if text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "/"), text.utf8.last == UInt8(ascii: "/") {
            let pattern = String(text.dropFirst().dropLast())
            do {
                self = .pattern(try Regex(pattern), text: text)
            } catch {
                throw InvalidMatcher(reason: "\(text) isn't a regular expression that Swift knows: \(error)")
            }
        } else {
            let known = Self.names.map { "\"\($0.key)\"" }.joined(separator: ", ")
            throw InvalidMatcher(reason: "\"$match\" must be one of \(known) or \"/a regular expression/\"")
        }
    }

    func accepts(_ value: JSONValue) -> Bool {
        switch self {
        case .any: true
        case .kind(let kind): value.kind == kind
        case .integer: value.isInteger
        case .pattern(let regex, _): value.string().map { (try? regex.wholeMatch(in: $0)) != nil } ?? false
        }
    }
}

/// As a sentence names it: "expected an integer but …".
extension Matcher: CustomStringConvertible {
    var description: String {
        switch self {
        case .any: "anything"
        case .kind(let kind): kind.description
        case .integer: "an integer"
        case .pattern(_, let text): "a string that matches \(text)"
        }
    }
}

/// Why a matcher in a transcript can't be used.
struct InvalidMatcher: Error {
    let reason: String
}
