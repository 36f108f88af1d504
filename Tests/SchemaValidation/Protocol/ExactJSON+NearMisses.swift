extension ExactJSON {
    /// The names of its members and the types of its values, by which similar messages are recognised.
    package var shape: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .array(let elements): "[\(elements.prefix(2).map(\.shape).joined(separator: ","))]"
        case .object: "{\((members ?? []).map { "\($0.name):\($0.value.shape)" }.joined(separator: ","))}"
        }
    }

    /// All values that differ from this one in a single place: a member too few or too many, or another value there.
    package var nearMisses: [ExactJSON] {
        let others: [ExactJSON] = ["null", "true", "0", "-1", "1.5", #""other""#, "[]", "{}"].compactMap {
            try? ExactJSON(text: $0)
        }
        return others.filter { $0 != self } + nearMissesInside
    }

    private var nearMissesInside: [ExactJSON] {
        switch self {
        case .array(let elements):
            // The others are of the same kind.
            return elements.first.map { first in
                first.nearMisses.map { .array([$0] + elements.dropFirst()) }
            } ?? []
        case .object(let members):
            var misses: [ExactJSON] = []
            for (name, value) in members.sorted(by: { $0.key.string < $1.key.string }) {
                var fewer = members
                fewer[name] = nil
                misses.append(.object(fewer))
                misses += value.nearMisses.map { .object(members.merging([name: $0]) { $1 }) }
            }
            return misses + [.object(members.merging(["surplus": .boolean(true)]) { $1 })]
        default: return []
        }
    }
}
