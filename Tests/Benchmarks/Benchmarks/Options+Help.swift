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
          --help           prints this

        Rows:
        \(rows.map { "  " + $0.padded(to: 20) + $1 }.joined(separator: "\n"))

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
        Benchmark.all(Effort()).map { ($0.name, $0.work) } + [(CodecBenchmark.name, CodecBenchmark.work)]
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
