extension JSONTree {
    /// The maximum number of values in a message. A longer list is cut.
    private static let namedValues = 20
    /// The maximum number of bytes of values in a message. If they take more, fewer values are named.
    private static let namedBytes = 400

    /// The limit for following references, since a contract from a file may refer to itself without end.
    private static let maximumDepth = 200

    /// Returns the values that a member of a view event may have, in words: `"left", "right"`. Nil unless the member is an
    /// enum. This tree must be a contract.
    ///
    /// - Parameters:
    ///   - kind: the event's kind.
    ///   - steps: the path from the event to the member, as an error gives it.
    package func valuesInWords(ofViewEvent kind: String, at steps: ArraySlice<String>) -> String? {
        guard let event = self["viewEvent"]?.cases?.first(where: { $0.0 == kind })?.1 else { return nil }
        return schema(at: steps, in: event, Self.maximumDepth)?.values.map(Self.words)
    }

    /// Returns the schema of a value inside a value with the schema `outer`.
    private func schema(at steps: ArraySlice<String>, in outer: JSONTree, _ depth: Int) -> JSONTree? {
        guard depth > 0 else { return nil }
        let (outer, _) = outer.withoutNull
        if case .string(let reference)? = outer["$ref"] {
            let name = JSONTree.definition(of: reference)
            return self["$defs"]?[name].flatMap { schema(at: steps, in: $0, depth - 1) }
        }
        guard let step = steps.first else { return outer }
        return outer.schema(ofMember: step).flatMap { schema(at: steps.dropFirst(), in: $0, depth - 1) }
    }

    private func schema(ofMember step: String) -> JSONTree? {
        if let cases { return cases.first { $0.0 == step }?.1 }
        if let property = properties.first(where: { $0.name == step }) { return property.value }
        if let items = self["items"] { return items }
        if case .array(let elements)? = self["prefixItems"], let index = Int(step), elements.indices.contains(index) {
            return elements[index]
        }
        return dictionaryValue
    }

    private static func words(_ values: [JSONTree]) -> String {
        var named: [String] = []
        var bytes = 0
        for value in values.prefix(namedValues) {
            let text = value.line
            bytes += text.utf8.count
            guard bytes <= namedBytes else { break }
            named.append(text)
        }
        let others = values.count - named.count
        return (named + (others == 0 ? [] : ["and \(others) others"])).joined(separator: ", ")
    }
}
