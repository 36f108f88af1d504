/// The options of the command line.
struct Options {
    var server: String?
    var limit: String?
    var only: [String] = []
    var effort = Effort()
    var printsJSON = false
    var measuresFinder = false
    var checksBudgets = false
    var updatesBudgets = false
    var showsHelp = false

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else { throw UsageError(message: "\(argument) takes a value") }
                return value
            }
            switch argument {
            case "--server": server = try value()
            case "--limit": limit = try value()
            case "--only": only.append(try value())
            case "--short": effort = .short
            case "--rounds": effort.rounds = try Options.number(value(), Int.init, argument)
            case "--seconds": effort.seconds = try Options.number(value(), Double.init, argument)
            case "--json": printsJSON = true
            case "--finder": measuresFinder = true
            case "--budgets": checksBudgets = true
            case "--update": updatesBudgets = true
            case "--help", "-h": showsHelp = true
            default: throw UsageError(message: "unknown option '\(argument)'; see --help")
            }
        }
        if updatesBudgets, !checksBudgets { throw UsageError(message: "--update goes with --budgets") }
    }

    private static func number<Number: Comparable & Numeric>(
        _ text: String, _ read: (String) -> Number?, _ option: String
    ) throws -> Number {
        guard let number = read(text), number > .zero else {
            throw UsageError(message: "\(option) takes a number above zero, not '\(text)'")
        }
        return number
    }

    /// Whether a row is to be run: all are, unless some were named, by the beginning of their names.
    func chooses(_ name: String) -> Bool {
        only.isEmpty || only.contains { name.hasPrefix($0) }
    }
}

/// The command line makes no sense.
struct UsageError: Error {
    let message: String
}

/// How long is measured.
struct Effort {
    /// How often the server and the limit have their turn.
    var rounds = 5
    /// One turn's length, after the warming up.
    var seconds = 1.0
    /// The starts of one turn.
    var starts = 20
    /// The largest crowd of connections.
    var connections = 10_000
    /// The sessions in a store on which a server starts.
    var stored = 100_000
    /// The files that a finder finds.
    var files = 100_000
    /// The words that are typed into it.
    var words = 40

    /// Only shows whether everything runs.
    static let short = Effort(
        rounds: 1, seconds: 0.1, starts: 3, connections: 1_000, stored: 1_000, files: 5_000, words: 5)

    var warmUp: Double { seconds / 4 }
}

extension Options {
    static var help: String {
        """
        Measures view-model-server against the limit: a C program that frames and answers messages without
        reading them. Both are driven by the same load, one after the other, round after round.

        Usage: swift run -c release benchmarks [options]

          --only NAME      only the rows whose names begin so; may be given more than once
          --rounds N       how often the server and the limit have their turn (5)
          --seconds S      how long each turn measures (1)
          --short          one short turn each, and a tenth of the largest crowds: says whether everything
                           runs, and little about how fast
          --json           prints the figures of every round as JSON
          --server PATH    measures this server; otherwise a static release build is made first, in
                           \(Programs.serverPath) and \(Programs.limitPath)
          --limit PATH     the same for limit-server
          --finder         measures the example finder, too, in 100,000 files that are made first, beside fd, fzf
                           and ripgrep where they are installed
          --budgets        counts instructions and allocations of the server instead, with valgrind, and
                           fails where an event costs over 5 % more than Tests/Benchmarks/budgets.json says
          --update         with --budgets: writes what was counted into that file
          --help           prints this

        Rows:
        \(rows.map { "  " + $0.padded(to: 20) + $1 }.joined(separator: "\n"))

        With --finder:
        \(FinderBenchmark.all.map { "  " + $0.name.padded(to: 20) + $0.work }.joined(separator: "\n"))

        Budgets:
        \(CountedWork.all.map { "  " + $0.name.padded(to: 20) + $0.work }.joined(separator: "\n"))
          \(BudgetCheck.idle.padded(to: 20))\(BudgetCheck.idleWork)
          \(BudgetCheck.idleScreen.padded(to: 20))\(BudgetCheck.idleScreenWork)

        Each figure is the median of all rounds; the ratio is the server's by the limit's. "CPU per event"
        is the processor time that all threads of the program used, by the events that it was sent. "memory
        each" is what the program's own memory grew by. After each turn the driver checks that every event
        was answered and told, and that the session's number of events is right.

        Take the figures on an idle machine. With an idle core to wake, a batch of messages costs both
        programs that on top; where the cores are busy anyway, what is left of the limit is a seventh.

        Status: 0 when every row ran, whether or not it met its target; 1 when one didn't run, or an answer
        was missing or wrong; 64 for a wrong option.
        """
    }

    private static var rows: [(name: String, work: String)] {
        Benchmark.all(Effort()).map { ($0.name, $0.work) } + [
            (ListBenchmark.name, ListBenchmark.work), (CodecBenchmark.name, CodecBenchmark.work),
        ]
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
