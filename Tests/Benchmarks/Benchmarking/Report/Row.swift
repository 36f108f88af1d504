/// One line of the table.
package struct Row {
    /// What is told of it.
    package enum State {
        /// The figures of each round; the limit's stay empty where it has none.
        case measured(server: [Double], limit: [Double])
        /// It ran into an error: the benchmark is broken, or what it measures.
        case failed(String)
        /// It can't be measured here or now, which is nobody's fault.
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
        if case .measured(let server, let limit) = state, let figure = server.median {
            isMet = target?.isMet(server: figure, limit: limit.median, other: other)
        } else {
            isMet = nil
        }
    }

    /// The medians of all rounds.
    package var server: Double? {
        guard case .measured(let figures, _) = state else { return nil }
        return figures.median
    }

    package var limit: Double? {
        guard case .measured(_, let figures) = state else { return nil }
        return figures.median
    }

    /// The server's figure by the limit's.
    package var ratio: Double? {
        guard let server, let limit, limit > 0 else { return nil }
        return server / limit
    }

    package var failure: String? {
        guard case .failed(let reason) = state else { return nil }
        return reason
    }
}
