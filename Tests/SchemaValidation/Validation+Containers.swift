extension Validation {
    /// By the rules for objects.
    func findings(
        in instance: ExactJSON, _ members: [ExactString: ExactJSON], by rule: Rule, _ finding: (String) -> Finding
    ) -> [Finding] {
        switch rule {
        case .required(let names):
            return names.filter { members[$0] == nil }.map { finding("lacks the member \"\($0.string)\"") }
        case .dependentRequired(let dependencies):
            return dependencies.filter { members[$0.key] != nil }.flatMap { name, others in
                others.filter { members[$0] == nil }
                    .map { finding("has the member \"\(name.string)\" and lacks \"\($0.string)\"") }
            }
        case .dependentSchemas(let schemas):
            return schemas.filter { members[$0.key] != nil }.flatMap { findings(in: instance, by: $0.value) }
        case .propertyNames(let schema):
            return members.keys.flatMap { name in
                findings(in: .string(name), by: schema).map { finding("has a wrong name: \($0.violation)") }
            }
        case .properties(let named, let patterns, let others):
            if patterns.isEmpty, others == nil {
                return Self.inOrder(
                    named.flatMap { name, schema in
                        members[name].map { findings(in: $0, at: name.string, by: schema) } ?? []
                    })
            }
            return Self.inOrder(
                members.flatMap { name, value in
                    var schemas = named[name].map { [$0] } ?? []
                    schemas += patterns.filter { $0.0.isFound(in: name.string) }.map(\.1)
                    if schemas.isEmpty, let others { schemas = [others] }
                    return schemas.flatMap { findings(in: value, at: name.string, by: $0) }
                })
        default: return []
        }
    }

    /// By the rules for arrays.
    func findings(in elements: [ExactJSON], by rule: Rule, _ finding: (String) -> Finding) -> [Finding] {
        switch rule {
        case .items(let prefix, let others):
            return elements.enumerated().flatMap { index, element in
                (index < prefix.count ? prefix[index] : others)
                    .map { findings(in: element, at: "\(index)", by: $0) } ?? []
            }
        case .contains(let schema, let minimum, let maximum):
            let count = elements.count { accepts($0, by: schema) }
            if count < minimum { return [finding("has \(count) elements of that kind, not at least \(minimum)")] }
            if let maximum, count > maximum {
                return [finding("has \(count) elements of that kind, not at most \(maximum)")]
            }
            return []
        case .uniqueItems:
            return Set(elements).count == elements.count ? [] : [finding("has an element twice")]
        default: return []
        }
    }

    /// By the names of members, for messages that read the same each time. There is hardly ever one to sort.
    private static func inOrder(_ findings: [Finding]) -> [Finding] {
        findings.isEmpty ? [] : findings.sorted { ($0.path.last ?? "") < ($1.path.last ?? "") }
    }

    private func findings(in instance: ExactJSON, at name: String, by schema: Int) -> [Finding] {
        findings(in: instance, by: schema).map { inner in
            var outer = inner
            outer.path.append(name)
            return outer
        }
    }
}
