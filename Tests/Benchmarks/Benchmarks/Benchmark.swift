import Benchmarking
import Glibc

/// Measures the server and the limit, and prints how they compare.
@main struct Benchmarks {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.showsHelp { return print(Options.help) }
            exit(try (options.checksBudgets ? BudgetCheck(options).run() : run(options)) ? 0 : 1)
        } catch let error as UsageError {
            Progress.say("benchmarks: \(error.message)")
            exit(64)
        } catch {
            Progress.say("benchmarks: \(error)")
            exit(1)
        }
    }

    /// False when something couldn't be measured.
    private static func run(_ options: Options) throws -> Bool {
        let descriptors = try Descriptors.raiseLimit()
        let chosen = Benchmark.all(options.effort).filter { options.chooses($0.name) }
        let finder = FinderBenchmark.all.filter { options.measuresFinder && options.chooses($0.name) }
        // By its whole name: `list` is the beginning of others.
        let comparesLists = options.only.isEmpty || options.only.contains(ListBenchmark.name)
        let comparesCodecs = options.chooses(CodecBenchmark.name)
        guard !chosen.isEmpty || !finder.isEmpty || comparesLists || comparesCodecs else {
            throw UsageError(message: "--only names no row; --help lists them")
        }
        let programs = chosen.isEmpty && finder.isEmpty ? nil : try Programs(options)
        let otherWork = OtherWork()
        var sections: [Section] = []
        if let programs {
            let runner = Runner(programs: programs, effort: options.effort, descriptors: descriptors)
            let rows = chosen.flatMap { runner.rows(of: $0) }
            if !chosen.isEmpty { sections.append(Section("server", against: "limit", rows: rows)) }
            if !finder.isEmpty {
                let rows = try FinderBenchmark.rows(finder, programs.server, options.effort)
                sections.append(Section("finder", against: "other", rows: rows))
            }
        }
        if comparesLists {
            Progress.say("\(ListBenchmark.name): \(ListBenchmark.work) …")
            sections.append(Section("list", against: "array", rows: ListBenchmark.rows(options.effort)))
        }
        if comparesCodecs {
            Progress.say("\(CodecBenchmark.name): \(CodecBenchmark.work) …")
            sections.append(Section("ours", against: "Foundation", rows: CodecBenchmark.rows(options.effort)))
        }
        show(sections, of: Machine(descriptors: descriptors, otherWork: otherWork.share), options)
        return sections.allSatisfy { section in section.rows.allSatisfy { $0.failure == nil } }
    }

    private static func show(_ sections: [Section], of machine: Machine, _ options: Options) {
        if options.printsJSON { return print(JSONReport(machine: machine, sections: sections).text) }
        print(machine.text)
        for section in sections { print("\n" + Table(section).lines.joined(separator: "\n")) }
    }
}

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
    /// The server loads a shared library.
    let loadsLibraries: Bool
    /// Starts the program, puts it to work and checks what it did.
    let measure: @Sendable (Subject, Effort) throws -> Sample

    init(
        _ name: String, _ work: String, descriptors: Int = 100, loadsLibraries: Bool = false,
        _ lines: [(Quantity, Target?)],
        measure: @escaping @Sendable (Subject, Effort) throws -> Sample
    ) {
        self.name = name
        self.work = work
        self.lines = lines.map { Line(quantity: $0, target: $1) }
        self.descriptors = descriptors
        self.loadsLibraries = loadsLibraries
        self.measure = measure
    }

    /// In the order of the table.
    static func all(_ effort: Effort) -> [Benchmark] {
        stdio + tcp + store + [webSocket, fanOut] + scale(effort.connections) + [start] + storeStart(effort.stored)
            + large + lists
    }
}

/// Checks that everything that was asked for came: wrong results don't count as fast.
enum Audit {
    /// Checks that each request was answered, and its one event sent.
    static func check(_ connection: Connection) throws {
        try check(connection, answers: connection.sent, notifications: connection.sent)
    }

    static func check(_ connection: Connection, answers: Int, notifications: Int) throws {
        let counter = connection.counter
        guard counter.answers == answers, counter.notifications == notifications, counter.isBetweenMessages else {
            throw Dialogue.Broken(
                "\(answers) answers and \(notifications) notifications were due, and there came \(counter.answers) and "
                    + "\(counter.notifications)\(counter.isBetweenMessages ? "" : " and a part of another")")
        }
    }

    /// Checks the number of a session's events since it was opened, the one on its start included, with one more event.
    static func check(
        _ subject: Subject, _ dialogue: inout Dialogue, session: Int = 1, event: String = Counter.increment, events: Int
    ) throws {
        let (number, due) = (try dialogue.event(session: session, event), events + 2)
        guard subject.side == .limit || number == due else {
            throw Dialogue.Broken("event \(due) of a session has the number \(number.map(String.init) ?? "none")")
        }
        try dialogue.end()
    }
}
