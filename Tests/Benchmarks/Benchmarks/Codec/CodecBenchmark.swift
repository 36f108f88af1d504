import Benchmarking
import CAllocations

/// One piece of work for this package's codec, and for Foundation's.
///
/// Each does it its own way: events are flat objects with a `kind` in the one, and what Swift makes of an enum in the
/// other.
struct CodecBenchmark {
    static let name = "codec"
    static let work = "this package's codec beside Foundation's, in time and allocations"

    /// All of them, measured.
    static func rows(_ effort: Effort) -> [Row] {
        do {
            return try (reading() + writing()).flatMap { try $0.rows(effort) }
        } catch {
            return [Row(benchmark: name, work: work, quantity: .time, target: nil, state: .failed("\(error)"))]
        }
    }

    let name: String
    /// Does it once.
    let ours: () throws -> Void
    /// Nil where Foundation can't.
    let foundation: (() throws -> Void)?

    /// One row for the time, one for the allocations.
    private func rows(_ effort: Effort) throws -> [Row] {
        var (ours, foundation): ([Cost], [Cost]) = ([], [])
        for _ in 0..<effort.rounds {
            ours.append(try Cost(of: self.ours, seconds: effort.seconds / 10))
            if let work = self.foundation { foundation.append(try Cost(of: work, seconds: effort.seconds / 10)) }
        }
        let row = { (quantity: Quantity, figure: (Cost) -> Double) in
            Row(
                benchmark: CodecBenchmark.name, work: name, quantity: quantity, target: nil,
                state: .measured(ours.map(figure), reference: foundation.map(figure)))
        }
        return [row(.time) { $0.nanoseconds }, row(.allocations) { $0.allocations }]
    }
}

/// The cost of doing something once.
private struct Cost {
    let nanoseconds: Double
    let allocations: Double

    /// Does it again and again, for at least that long.
    init(of work: () throws -> Void, seconds: Double) throws {
        var (count, nanoseconds, allocations) = (1, 0, 0)
        while true {
            let (start, allocated) = (Clock.threadTime(), callocations_count())
            for _ in 0..<count { try work() }
            nanoseconds = Clock.threadTime() - start
            allocations = Int(callocations_count() - allocated)
            if Double(nanoseconds) >= seconds * 1e9 { break }
            count *= 2
        }
        self.nanoseconds = Double(nanoseconds) / Double(count)
        self.allocations = Double(allocations) / Double(count)
    }
}

extension Quantity {
    fileprivate static let time = Quantity("time", .nanoseconds)
    fileprivate static let allocations = Quantity("allocations", .count)
}

/// Takes an unused result, so that the compiler doesn't leave out the work that it came from.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
