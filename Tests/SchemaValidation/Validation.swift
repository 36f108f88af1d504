/// Judges values by schemas that refer to each other by their places in a list.
struct Validation {
    /// A violation on its way up from the value where it is.
    struct Finding {
        /// The names and indices that lead to it, the outermost last.
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

    /// Stops at the first rule that is broken.
    func accepts(_ instance: ExactJSON, by schema: Int) -> Bool {
        nodes[schema].rules.allSatisfy { keyword, rule in
            findings(in: instance, by: rule) { Finding(schemaPath: keyword, reason: $0) }.isEmpty
        }
    }

    private func findings(in instance: ExactJSON, by rule: Rule, _ finding: (String) -> Finding) -> [Finding] {
        switch rule {
        case .never: return [finding("is not allowed here")]
        case .kinds(let kinds):
            if kinds.contains(where: { $0.contains(instance) }) { return [] }
            return [finding("is \(instance), not of type \(kinds.map(\.rawValue).joined(separator: " or "))")]
        case .values(let values):
            if values.contains(instance) { return [] }
            return [finding("is \(instance), not \(values.map(\.description).joined(separator: " or "))")]
        case .minimum, .maximum, .multiple:
            guard case .number(let number) = instance else { return [] }
            return complaint(about: number, by: rule).map { [finding($0)] } ?? []
        case .size(let bound, let limit):
            guard let (count, unit) = bound.size(of: instance) else { return [] }
            if bound.isMinimum ? count >= limit : count <= limit { return [] }
            return [finding("has \(count) \(unit), not at \(bound.isMinimum ? "least" : "most") \(limit)")]
        case .pattern(let pattern):
            guard case .string(let text) = instance, !pattern.isFound(in: text.string) else { return [] }
            return [finding("is \(instance), which doesn't match /\(pattern.text)/")]
        case .required, .dependentRequired, .dependentSchemas, .propertyNames, .properties:
            guard case .object(let members) = instance else { return [] }
            return findings(in: instance, members, by: rule, finding)
        case .items, .contains, .uniqueItems:
            guard case .array(let elements) = instance else { return [] }
            return findings(in: elements, by: rule, finding)
        case .reference, .all, .any, .one, .not, .condition:
            return findings(in: instance, byOthersOf: rule, finding)
        }
    }

    private func complaint(about number: ExactNumber, by rule: Rule) -> String? {
        switch rule {
        case .minimum(let limit, let isExclusive):
            if isExclusive ? number > limit : number >= limit { return nil }
            return "is \(number.text), not \(isExclusive ? "more than" : "at least") \(limit.text)"
        case .maximum(let limit, let isExclusive):
            if isExclusive ? number < limit : number <= limit { return nil }
            return "is \(number.text), not \(isExclusive ? "less than" : "at most") \(limit.text)"
        case .multiple(let divisor):
            return number.isMultiple(of: divisor) ? nil : "is \(number.text), no multiple of \(divisor.text)"
        default: return nil
        }
    }

    /// By the rules that ask other schemas about the same value.
    private func findings(in instance: ExactJSON, byOthersOf rule: Rule, _ finding: (String) -> Finding) -> [Finding] {
        switch rule {
        case .reference(let schema): return findings(in: instance, by: schema)
        case .all(let schemas): return schemas.flatMap { findings(in: instance, by: $0) }
        case .any(let schemas):
            if schemas.contains(where: { accepts(instance, by: $0) }) { return [] }
            return [finding("fits none: \(summary(of: instance, by: schemas))")]
        case .one(let schemas):
            let count = schemas.count { accepts(instance, by: $0) }
            if count == 1 { return [] }
            return [finding(count == 0 ? "fits none: \(summary(of: instance, by: schemas))" : "fits \(count), not one")]
        case .not(let schema): return accepts(instance, by: schema) ? [finding("is what it must not be")] : []
        case .condition(let condition, let then, let otherwise):
            let chosen = accepts(instance, by: condition) ? then : otherwise
            return chosen.map { findings(in: instance, by: $0) } ?? []
        default: return []
        }
    }

    /// Why none of some schemas fits.
    private func summary(of instance: ExactJSON, by schemas: [Int]) -> String {
        schemas.enumerated().map { number, schema in
            let first = findings(in: instance, by: schema).first
            return "(\(number + 1)) \(first.map { "\($0.violation)" } ?? "")"
        }.joined(separator: "; ")
    }
}
