import JSON

/// The budgets of rows, as they are kept in the repository: a name, and what an event or a connection may cost.
package struct Budgets: Equatable, Sendable {
    /// Of each row its quantities by their names.
    package var rows: [String: [String: Double]]

    /// A count may be above its budget by this share: compilers and kernels differ a little.
    package static let room = 0.05

    package init(rows: [String: [String: Double]] = [:]) {
        self.rows = rows
    }

    /// - Throws: where the text isn't an object of such rows.
    package init(text: String) throws {
        rows = try Array(text.utf8).withUnsafeBytes { bytes in
            try ValueDecoder().decode([String: [String: Double]].self, from: JSONValue(validating: bytes))
        }
    }

    /// A row each line, by name, so that a change reads well in a diff.
    package var text: String {
        let lines = rows.sorted { $0.key < $1.key }.map { name, quantities in
            let members = quantities.sorted { $0.key < $1.key }.map { quantity, value in
                let number = value < 1_000 ? "\((value * 100).rounded() / 100)" : "\(Int(value.rounded()))"
                return #""\#(quantity)": \#(number)"#
            }
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
