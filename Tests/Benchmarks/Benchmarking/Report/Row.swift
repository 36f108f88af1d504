/// One line of the table.
package struct Row {
    /// The result of a measurement.
    package enum State {
        /// The figures of each round, and those that they are compared with, where there are any.
        case measured([Double], reference: [Double])
        /// It ran into an error: the benchmark is broken, or what it measures.
        case failed(String)
        /// It can't be measured on this machine. No failure.
        case absent(String)
    }

    /// The benchmark's name, as `--only` takes it.
    package let benchmark: String
    package let work: String
    package let quantity: Quantity
    package let target: Target?
    package let state: State
    /// Whether the target is met; nil where there is none, or no figure.
    package let isMet: Bool?

    package init(
        benchmark: String, work: String, quantity: Quantity, target: Target?, state: State,
        other: (Quantity) -> Double? = { _ in nil }
    ) {
        self.benchmark = benchmark
        self.work = work
        self.quantity = quantity
        self.target = target
        self.state = state
        if case .measured(let figures, let reference) = state, let figure = figures.median {
            isMet = target?.isMet(figure, limit: reference.median, other: other)
        } else {
            isMet = nil
        }
    }

    /// The median of all rounds.
    package var figure: Double? {
        guard case .measured(let figures, _) = state else { return nil }
        return figures.median
    }

    /// The median of what it is compared with.
    package var reference: Double? {
        guard case .measured(_, let reference) = state else { return nil }
        return reference.median
    }

    /// The one by the other.
    package var ratio: Double? {
        guard let figure, let reference, reference > 0 else { return nil }
        return figure / reference
    }

    package var failure: String? {
        guard case .failed(let reason) = state else { return nil }
        return reason
    }
}

/// Rows that compare the same two.
package struct Section {
    /// The names of the measured program and of the one that it is compared with.
    package let subject: String
    package let reference: String
    package let rows: [Row]

    package init(_ subject: String, against reference: String, rows: [Row]) {
        self.subject = subject
        self.reference = reference
        self.rows = rows
    }
}
