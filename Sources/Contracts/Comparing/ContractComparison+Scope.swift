/// The comparison of scopes: what clients get that open the view model, and whether they still find the sessions of before.
extension ContractComparison {
    private static let scope = Place(part: "scope")
    private static let store = Side.store(isStrict: false)

    mutating func compareScopes() {
        let (before, now) = (Self.scope(of: old), Self.scope(of: new))
        let isStored = old[JSONTree.stateMember] != nil && new[JSONTree.stateMember] != nil
        guard before == now else {
            add(false, Self.scope, .client, "was \(before ?? "each"), is \(now ?? "each")")
            guard isStored else { return }
            advice = "keep the scope \(before ?? "each")"
            let found = "are found by their keys alone from now on"
            return add(
                before != nil, Self.scope, Self.store, "stored sessions \(before == nil ? "of before " : "")\(found)")
        }
        guard before != nil, isStored, !findsSessionsOfBefore else { return }
        advice = "keep the arguments' form; a new member with a default finds the sessions of before"
        add(true, Self.scope, Self.store, "stored sessions aren't found by arguments of the new form")
    }

    private static func scope(of contract: JSONTree) -> String? {
        if case .string(let scope)? = contract["scope"] { scope } else { nil }
    }

    /// Whether equal arguments have the same text as before: a session is found by that, and not by what it is migrated to.
    private var findsSessionsOfBefore: Bool {
        var comparison = self
        (comparison.changes, comparison.compared) = ([], [])
        let (old, new) = (old["arguments"] ?? .boolean(true), new["arguments"] ?? .boolean(true))
        comparison.compare(old, new, Place(part: "arguments"), .store(isStrict: true))
        return comparison.changes.allSatisfy { $0.effect == .compatible }
    }
}
