import Synchronization

/// Judges values by the nodes of a document.
struct Validation {
    /// A violation on its way up from the wrong value.
    struct Finding {
        /// The names and indices that lead to the value, the outermost last.
        var path: [String] = []
        let schemaPath: String
        let reason: String

        var violation: Violation {
            let escaped = path.reversed().map { $0.replacing("~", with: "~0").replacing("/", with: "~1") }
            return Violation(
                instancePath: escaped.map { "/\($0)" }.joined(), schemaPath: schemaPath, reason: reason)
        }
    }

    let nodes: [SchemaNode]

    func findings(in instance: ExactJSON, by schema: Int) -> [Finding] {
        let node = nodes[schema]
        var all: [Finding] = []
        for (keyword, rule) in node.rules {
            all += findings(in: instance, by: rule) { reason in
                Finding(schemaPath: keyword.isEmpty ? node.place : "\(node.place)/\(keyword)", reason: reason)
            }
        }
        return all
    }

    /// Stops at the first broken rule.
    private func accepts(_ instance: ExactJSON, by schema: Int) -> Bool {
        nodes[schema].rules.allSatisfy { keyword, rule in
            findings(in: instance, by: rule) { Finding(schemaPath: keyword, reason: $0) }.isEmpty
        }
    }

    private func findings(in instance: ExactJSON, by rule: Rule, _ finding: (String) -> Finding) -> [Finding] {
        switch (rule, instance) {
        case (.required, .object(let members)), (.properties, .object(let members)),
            (.propertyNames, .object(let members)):
            findings(in: members, by: rule, finding)
        case (.items(let schema), .array(let elements)):
            elements.enumerated().flatMap { findings(in: $1, at: "\($0)", by: schema) }
        case (.prefixItems(let schemas), .array(let elements)):
            zip(elements, schemas).enumerated().flatMap { findings(in: $1.0, at: "\($0)", by: $1.1) }
        case (.reference(let schema), _): findings(in: instance, by: schema)
        case (.all(let schemas), _): schemas.flatMap { findings(in: instance, by: $0) }
        case (.condition(let condition, let then, let otherwise), _):
            (accepts(instance, by: condition) ? then : otherwise).map { findings(in: instance, by: $0) } ?? []
        default: complaint(about: instance, by: rule).map { [finding($0)] } ?? []
        }
    }

    /// By a rule that has one thing to say; nil when the value meets it.
    private func complaint(about instance: ExactJSON, by rule: Rule) -> String? {
        switch (rule, instance) {
        case (.never, _): "is not allowed here"
        case (.types(let types), _) where !types.contains { $0.contains(instance) }:
            "is \(instance), not of type \(types.map(\.rawValue).joined(separator: " or "))"
        case (.values(let values), _) where !values.contains(instance):
            "is \(instance), not \(values.map(\.description).joined(separator: " or "))"
        case (.minimum(let limit), .number(let number)) where number < limit:
            "is \(number.text), not at least \(limit.text)"
        case (.maximum(let limit), .number(let number)) where number > limit:
            "is \(number.text), not at most \(limit.text)"
        case (.pattern(let pattern), .string(let text)) where !pattern.isFound(in: text.string):
            "is \(instance), which doesn't match /\(pattern.text)/"
        case (.minLength(let limit), .string(let text)) where text.string.unicodeScalars.count < limit:
            "has \(text.string.unicodeScalars.count) characters, not at least \(limit)"
        case (.maxLength(let limit), .string(let text)) where text.string.unicodeScalars.count > limit:
            "has \(text.string.unicodeScalars.count) characters, not at most \(limit)"
        case (.minItems(let limit), .array(let elements)) where elements.count < limit:
            "has \(elements.count) elements, not at least \(limit)"
        case (.maxItems(let limit), .array(let elements)) where elements.count > limit:
            "has \(elements.count) elements, not at most \(limit)"
        case (.any(let schemas), _) where !schemas.contains { accepts(instance, by: $0) }:
            "fits none: \(summary(of: instance, by: schemas))"
        case (.one(let schemas), _): complaint(about: instance, byOneOf: schemas)
        case (.not(let schema), _) where accepts(instance, by: schema): "is what it must not be"
        default: nil
        }
    }

    private func complaint(about instance: ExactJSON, byOneOf schemas: [Int]) -> String? {
        switch schemas.count(where: { accepts(instance, by: $0) }) {
        case 0: "fits none: \(summary(of: instance, by: schemas))"
        case 1: nil
        case let count: "fits \(count), not one"
        }
    }

    /// Why none of some schemas fits.
    private func summary(of instance: ExactJSON, by schemas: [Int]) -> String {
        schemas.enumerated().map { number, schema in
            let first = findings(in: instance, by: schema).first
            return "(\(number + 1)) \(first.map { "\($0.violation)" } ?? "")"
        }.joined(separator: "; ")
    }

    /// By a rule for objects.
    private func findings(
        in members: [ExactString: ExactJSON], by rule: Rule, _ finding: (String) -> Finding
    ) -> [Finding] {
        switch rule {
        case .required(let names):
            names.filter { members[$0] == nil }.map { finding("lacks the member \"\($0.string)\"") }
        case .propertyNames(let schema):
            Self.inOrder(
                members.keys.flatMap { name in
                    findings(in: .string(name), by: schema).map { finding("has a wrong name: \($0.violation)") }
                })
        case .properties(let named, nil):
            Self.inOrder(
                named.flatMap { name, schema in
                    members[name].map { findings(in: $0, at: name.string, by: schema) } ?? []
                })
        case .properties(let named, let others?):
            Self.inOrder(
                members.flatMap { findings(in: $1, at: $0.string, by: named[$0] ?? others) })
        default: []
        }
    }

    private func findings(in instance: ExactJSON, at name: String, by schema: Int) -> [Finding] {
        findings(in: instance, by: schema).map { inner in
            var outer = inner
            outer.path.append(name)
            return outer
        }
    }

    /// By the names of members, so that messages read the same each time.
    private static func inOrder(_ findings: [Finding]) -> [Finding] {
        findings.count < 2
            ? findings : findings.sorted { ($0.path.last ?? "", $0.reason) < ($1.path.last ?? "", $1.reason) }
    }
}

/// The names that `type` knows.
enum InstanceType: String, Sendable {
    case null, boolean, integer, number, string, array, object

    func contains(_ instance: ExactJSON) -> Bool {
        switch (self, instance) {
        case (.null, .null), (.boolean, .boolean), (.number, .number), (.string, .string), (.array, .array),
            (.object, .object):
            true
        case (.integer, .number(let number)): number.isInteger
        default: false
        }
    }
}

/// A regular expression in the dialect that Swift and ECMA-262 share, looked for anywhere in a string.
final class Pattern: Sendable {
    let text: String
    /// A `Regex` isn't `Sendable`.
    private let regex: Mutex<Regex<AnyRegexOutput>>

    init(_ text: String) throws {
        self.text = text
        let regex = try Regex(text).matchingSemantics(.unicodeScalar).asciiOnlyDigits().asciiOnlyWordCharacters()
        self.regex = Mutex(regex)
    }

    func isFound(in string: String) -> Bool {
        regex.withLock { regex in (try? regex.firstMatch(in: string)) != nil }
    }
}
