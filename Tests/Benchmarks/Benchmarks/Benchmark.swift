import Benchmarking

/// One thing to measure, in rows of its figures.
struct Benchmark: Sendable {
    /// A figure that is shown, and what it should be.
    struct Line: Sendable {
        let quantity: Quantity
        let target: Target?
    }

    /// The figures of one turn.
    typealias Sample = [Quantity: Double]

    /// As `--only` takes it.
    let name: String
    /// In words.
    let work: String
    let lines: [Line]
    /// How many files the driver and the program have open at most, each.
    let descriptors: Int
    /// Starts the program, puts it to work and checks what it did.
    let measure: @Sendable (Subject, Effort) throws -> Sample

    init(
        _ name: String, _ work: String, descriptors: Int = 100, _ lines: [(Quantity, Target?)],
        measure: @escaping @Sendable (Subject, Effort) throws -> Sample
    ) {
        self.name = name
        self.work = work
        self.lines = lines.map { Line(quantity: $0, target: $1) }
        self.descriptors = descriptors
        self.measure = measure
    }

    /// In the order of the table.
    static func all(_ effort: Effort) -> [Benchmark] {
        stdio + tcp + [webSocket, fanOut] + scale(effort.connections) + [start] + large
    }
}
