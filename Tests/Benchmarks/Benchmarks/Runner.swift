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
        if benchmark.loadsLibraries, !programs.server.loadsLibraries {
            let reason = "not with a static server, which can't load SQLite: name another by --server"
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

/// A load that a program was put under, and what it cost.
struct Measurement {
    private var result = LoadResult()
    private var processorTime = 0
    private var peakMemory = 0

    /// Warms the program up first, so that its start isn't measured.
    init<L: Load & ~Copyable>(_ load: inout L, of child: Child, _ effort: Effort) throws {
        _ = try load.run(seconds: effort.warmUp)
        let before = try child.processorTime()
        result = try load.run(seconds: effort.seconds)
        processorTime = try child.processorTime() - before
        peakMemory = try child.peakMemory()
    }

    var events: Int { result.events }
    /// In microseconds, of all its threads.
    var processorTimePerEvent: Double { Double(processorTime) / 1_000 / Double(max(1, events)) }

    /// All that is known of any load.
    var sample: Benchmark.Sample {
        mutating get {
            var sample: Benchmark.Sample = [
                .events: Double(events) / result.seconds, .processorTime: processorTimePerEvent,
                .peakMemory: Double(peakMemory) / 1_024,
            ]
            sample[.p50] = result.latencies.percentile(0.5)
            sample[.p99] = result.latencies.percentile(0.99)
            return sample
        }
    }
}
