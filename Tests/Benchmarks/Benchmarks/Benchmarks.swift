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
        let chosen = Benchmark.all(options.effort).filter { options.chooses($0.name) }
        let comparesCodecs = options.chooses(CodecBenchmark.name)
        guard !chosen.isEmpty || comparesCodecs else {
            throw UsageError(message: "--only names no row; --help lists them")
        }
        let programs = chosen.isEmpty ? nil : try Programs(options)
        let machine = Machine(descriptors: descriptors)
        if machine.busy > 0.05 {
            Progress.say("Something else uses this machine; on an idle one the figures are others.")
        }
        var sections: [Section] = []
        if let programs {
            let runner = Runner(programs: programs, effort: options.effort, descriptors: descriptors)
            sections.append(Section("server", against: "limit", rows: chosen.flatMap { runner.rows(of: $0) }))
        }
        if comparesCodecs {
            Progress.say("\(CodecBenchmark.name): \(CodecBenchmark.work) …")
            sections.append(Section("ours", against: "Foundation", rows: CodecBenchmark.rows(options.effort)))
        }
        show(sections, of: machine, options)
        return sections.allSatisfy { section in section.rows.allSatisfy { $0.failure == nil } }
    }

    private static func show(_ sections: [Section], of machine: Machine, _ options: Options) {
        if options.printsJSON { return print(JSONReport(machine: machine, sections: sections).text) }
        print(machine.text)
        for section in sections { print("\n" + Table(section).lines.joined(separator: "\n")) }
    }
}
