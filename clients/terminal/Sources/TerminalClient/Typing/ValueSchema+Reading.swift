package import Contracts
import JSON

extension ValueSchema {
    /// Reads a typed value. Text needs no quotes if a string is expected; a value in quotes is always text.
    ///
    /// - Throws: an error that names the expected form.
    func read(_ value: TypedWord.Value, of name: String) throws(TypedLineError) -> JSONTree {
        switch value {
        case .quoted(let text): return try checked(.string(text), of: name)
        case .json(let tree): return try checked(tree, of: name)
        case .bare(let text):
            // A number, true, false or null, if the schema allows it.
            if let tree = try? JSONTree(parsing: text), tree.string == nil, problem(with: tree) == nil { return tree }
            return try checked(.string(text), of: name)
        }
    }

    private func checked(_ value: JSONTree, of name: String) throws(TypedLineError) -> JSONTree {
        guard let problem = problem(with: value) else { return value }
        let place = problem.path.isEmpty ? name : name + problem.path
        throw TypedLineError(
            "\(place) must be \(problem.expected), not \(DisplayWidth.cut(value.shortText, columns: 40))")
    }

    struct Problem: Equatable {
        /// The place in the value, such as "[3].name"; "" for the value itself.
        var path = ""
        var expected: String
    }

    /// Returns the reason why a value doesn't match; nil if it does.
    func problem(with value: JSONTree) -> Problem? {
        let fitting = alternatives.filter { $0.fits(value) }
        guard !fitting.isEmpty else { return Problem(expected: words) }
        var first: Problem?
        for alternative in fitting {
            guard let problem = alternative.problemInside(value) else { return nil }
            first = first ?? problem
        }
        return first
    }

    /// Whether a value has the right type and constants. Its parts aren't compared.
    private func fits(_ value: JSONTree) -> Bool {
        if let constant = schema["const"], constant != value { return false }
        if let values = schema["enum"]?.elements, !values.contains(value) { return false }
        guard let types else { return true }
        if case .number(let text) = value {
            return types.contains("number") || (types.contains("integer") && isInteger(text))
        }
        return types.contains(value.typeName)
    }

    private func isInteger(_ text: String) -> Bool {
        if text.hasPrefix("-") {
            guard let number = Int64(text) else { return false }
            return number >= schema["minimum"]?.number.flatMap(Int64.init) ?? .min
                && (schema["maximum"]?.number).flatMap(Int64.init) ?? .max >= number
        }
        guard let number = UInt64(text) else { return false }
        return number <= schema["maximum"]?.number.flatMap(UInt64.init) ?? .max
            && schema["minimum"]?.number.flatMap(UInt64.init) ?? 0 <= number
    }

    private func problemInside(_ value: JSONTree) -> Problem? {
        switch value {
        case .array(let elements):
            guard let items = schema["items"].map(part) else { return nil }
            for (index, element) in elements.enumerated() {
                if let problem = items.problem(with: element) { return problem.inside("[\(index)]") }
            }
            return nil
        case .object(let members): return problem(inMembers: members, of: value)
        default: return nil
        }
    }

    private func problem(inMembers members: [JSONTree.Member], of value: JSONTree) -> Problem? {
        for name in schema["required"]?.elements ?? [] {
            guard let name = name.string, value[name] == nil else { continue }
            let words = schema["properties"]?[name].map { part($0).words } ?? "there"
            return Problem(path: ".\(name)", expected: words)
        }
        for member in members {
            guard let schema = schema["properties"]?[member.name] ?? schema["additionalProperties"],
                schema.members != nil
            else { continue }
            if let problem = part(schema).problem(with: member.value) { return problem.inside(".\(member.name)") }
        }
        return nil
    }
}

extension ValueSchema.Problem {
    fileprivate func inside(_ part: String) -> ValueSchema.Problem {
        ValueSchema.Problem(path: part + path, expected: expected)
    }
}

extension JSONTree {
    /// The text of a number; nil for any other value.
    package var number: String? {
        if case .number(let text) = self { return text }
        return nil
    }
}
