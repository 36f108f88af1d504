import Benchmarking

/// Measures one benchmark after another: in each round the server and then the limit.
struct Runner {
    let programs: Programs
    let effort: Effort
    /// How many files this process and its children may have open.
    let descriptors: Int

    func rows(of benchmark: Benchmark) -> [Row] {
        guard benchmark.descriptors <= descriptors else {
            let reason = "not on this machine: needs \(benchmark.descriptors) descriptors, and may have \(descriptors)"
            return [row(benchmark, .absent(reason))]
        }
        Progress.say("\(benchmark.name): \(benchmark.work) …")
        do {
            return try measuredRows(of: benchmark)
        } catch {
            return [row(benchmark, .failed("\(error)"))]
        }
    }

    private func row(_ benchmark: Benchmark, _ state: Row.State) -> Row {
        Row(
            benchmark: benchmark.name, work: benchmark.work, quantity: benchmark.lines.first?.quantity ?? .events,
            target: nil, state: state)
    }

    private func measuredRows(of benchmark: Benchmark) throws -> [Row] {
        var server: [Benchmark.Sample] = []
        var limit: [Benchmark.Sample] = []
        for _ in 0..<effort.rounds {
            server.append(try sample(benchmark, programs.server))
            limit.append(try sample(benchmark, programs.limit))
        }
        return benchmark.lines.map { line in
            Row(
                benchmark: benchmark.name, work: benchmark.work, quantity: line.quantity, target: line.target,
                state: .measured(
                    server.compactMap { $0[line.quantity] }, reference: limit.compactMap { $0[line.quantity] }),
                other: { quantity in server.compactMap { $0[quantity] }.median })
        }
    }

    private func sample(_ benchmark: Benchmark, _ subject: Subject) throws -> Benchmark.Sample {
        // Long after whatever works is done, also on a machine with other work to do.
        try Watchdog.within(seconds: 60 + Int(effort.seconds * 10)) {
            do {
                return try benchmark.measure(subject, effort)
            } catch {
                throw Dialogue.Broken("the \(subject.side.rawValue): \(error)")
            }
        }
    }
}
