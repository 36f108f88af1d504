import JSON

/// The costs that rows may have, as they are kept in the repository: a name, and what an event may cost.
package struct Budgets: Equatable, Sendable {
    package var costs: [String: Cost]

    /// A count may be above its budget by this share: compilers and kernels differ a little.
    package static let room = 0.05

    package init(costs: [String: Cost] = [:]) {
        self.costs = costs
    }

    /// - Throws: where the text isn't an object of costs.
    package init(text: String) throws {
        costs = try Array(text.utf8).withUnsafeBytes { bytes in
            try ValueDecoder().decode([String: Cost].self, from: JSONValue(validating: bytes))
        }
    }

    /// A row each line, by name, so that a change reads well in a diff.
    package var text: String {
        let lines = costs.sorted { $0.key < $1.key }.map { name, cost in
            let members = [
                #""instructions": \#(Int(cost.instructions.rounded()))"#,
                #""allocations": \#((cost.allocations * 100).rounded() / 100)"#,
                #""atomics": \#((cost.atomics * 100).rounded() / 100)"#,
            ]
            return #"    "\#(name)": {\#(members.joined(separator: ", "))}"#
        }
        return "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }
}

/// One number of a row against its budget.
package struct BudgetLine: Equatable, Sendable {
    package enum Verdict: String, Sendable {
        case within = ""
        case above = "above its budget"
        /// Far enough for the budget to be lowered, so that what was won isn't lost again.
        case farBelow = "lower the budget"
        case unknown = "has no budget"
    }

    package let quantity: String
    package let budget: Double?
    package let counted: Double

    package init(_ quantity: String, budget: Double?, counted: Double) {
        self.quantity = quantity
        self.budget = budget
        self.counted = counted
    }

    package var ratio: Double? { budget.map { $0 > 0 ? counted / $0 : counted > 0 ? .infinity : 1 } }

    package var verdict: Verdict {
        guard let ratio else { return .unknown }
        if ratio > 1 + Budgets.room { return .above }
        return ratio < 1 - Budgets.room ? .farBelow : .within
    }
}
