import JSON

/// The matchers of a transcript, each regular expression compiled once.
struct MatcherTable {
    /// Far more than a hand writes; where a program wrote more, they are compiled again.
    private static let maximumCount = 1024

    private var matchers: [ScalarString: Matcher] = [:]

    /// The matcher that `value` is; nil when it is an ordinary value.
    mutating func matcher(_ value: JSONValue) throws(InvalidMatcher) -> Matcher? {
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

    /// What is sent where a matcher stands in a message that is played.
    static func sample(_ matcher: JSONValue) -> JSONValue? { matcher.member("value") }

    /// Whether there are matchers in `value`, all of which are looked at.
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
