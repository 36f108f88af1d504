package import JSON

/// A placeholder in a transcript for a value that varies: `{"$match":"string"}` accepts any string.
package enum Matcher {
    case any
    case kind(JSONValue.Kind)
    /// Accepts a number without a fraction.
    case integer
    /// Accepts a string that matches the regular expression as a whole.
    case pattern(Regex<AnyRegexOutput>, text: String)

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

    package func accepts(_ value: JSONValue) -> Bool {
        switch self {
        case .any: true
        case .kind(let kind): value.kind == kind
        case .integer: value.isInteger
        case .pattern(let regex, _): value.string().map { (try? regex.wholeMatch(in: $0)) != nil } ?? false
        }
    }
}

/// The matcher as part of a sentence: "expected an integer but …".
extension Matcher: CustomStringConvertible {
    package var description: String {
        switch self {
        case .any: "anything"
        case .kind(let kind): kind.description
        case .integer: "an integer"
        case .pattern(_, let text): "a string that matches \(text)"
        }
    }
}

/// The reason why a matcher in a transcript is invalid.
package struct InvalidMatcher: Error {
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

/// A cache of the matchers of a transcript, so that each regular expression is compiled once.
package struct MatcherTable {
    package init() {}

    /// The size at which the cache is emptied. People write far fewer matchers; a program may write more.
    private static let maximumCount = 1024

    private var matchers: [ScalarString: Matcher] = [:]

    /// Returns the matcher that `value` is; nil if it isn't one. Throws if it is an invalid one.
    package mutating func matcher(_ value: JSONValue) throws(InvalidMatcher) -> Matcher? {
        guard value.kind == .object, let name = value.member("$match") else { return nil }
        guard let text = name.string() else {
            throw InvalidMatcher(reason: "\"$match\" must be a string, not \(name.kind)")
        }
        if let known = matchers[ScalarString(text)] { return known }
        let matcher = try Matcher(text)
        if matchers.count >= Self.maximumCount { matchers.removeAll() }
        matchers[ScalarString(text)] = matcher
        return matcher
    }

    /// Returns a matcher's sample: the value that is sent in its place.
    static func sample(_ matcher: JSONValue) -> JSONValue? { matcher.member("value") }

    /// Whether `value` is or contains matchers. Throws if any of them is invalid, or has no sample although one is needed.
    mutating func findMatchers(in value: JSONValue, needingSamples: Bool) throws(InvalidMatcher) -> Bool {
        switch value.kind {
        case .object:
            if let matcher = try matcher(value) {
                try check(matcher, in: value, needingSample: needingSamples)
                return true
            }
            var found = false
            try value.forEachMember { (_, member) throws(InvalidMatcher) in
                if try findMatchers(in: member, needingSamples: needingSamples) { found = true }
            }
            return found
        case .array:
            var found = false
            try value.forEachElement { (element) throws(InvalidMatcher) in
                if try findMatchers(in: element, needingSamples: needingSamples) { found = true }
            }
            return found
        default:
            return false
        }
    }

    private func check(_ matcher: Matcher, in value: JSONValue, needingSample: Bool) throws(InvalidMatcher) {
        try value.forEachMember { (name, _) throws(InvalidMatcher) in
            guard name == "$match" || name == "value" else {
                throw InvalidMatcher(
                    reason: "a matcher has no member \"\(name.string())\", only \"$match\" and \"value\"")
            }
        }
        guard let sample = Self.sample(value) else {
            guard !needingSample else {
                throw InvalidMatcher(reason: "a matcher in a message that is sent needs a \"value\", which is sent")
            }
            return
        }
        guard matcher.accepts(sample) else {
            throw InvalidMatcher(reason: "the \"value\" of a matcher isn't what it stands for: \(matcher)")
        }
    }
}
