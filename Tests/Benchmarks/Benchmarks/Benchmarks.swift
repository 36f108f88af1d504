import Benchmarking
import Glibc

/// Measures the server against the limit, and says where it stands.
@main struct Benchmarks {
    static func main() {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.showsHelp { return print(Options.help) }
            exit(try run(options) ? 0 : 1)
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
        signal(SIGPIPE, SIG_IGN)
        let descriptors = try Descriptors.raiseLimit()
        let chosen = Benchmark.all.filter { options.chooses($0.name) }
        guard !chosen.isEmpty else { throw UsageError(message: "--only names no row; --help lists them") }
        let machine = Machine(descriptors: descriptors)
        let programs = try Programs(options)
        let runner = Runner(programs: programs, effort: options.effort, descriptors: descriptors)
        let rows = chosen.flatMap { runner.rows(of: $0) }
        if options.printsJSON {
            print(JSONReport(machine: machine, rows: rows).text)
        } else {
            print(machine.text)
            print(Table(rows).lines.joined(separator: "\n"))
        }
        return rows.allSatisfy { $0.failure == nil }
    }
}
