/// A block that nothing runs, and why.
struct Excerpt {
    let document: String
    /// The block's first line.
    let begin: String
    let reason: String

    private static let machine = "2 × AMD EPYC, Linux 6.18.44-fc-v595, 20000 descriptors; other work took"

    static let all = [
        Excerpt("README.md", " Neovim  ─", "a drawing"),
        Excerpt("README.md", "swift run view-model-server ", "a test can't run all tests; CI runs them"),
        Excerpt("GettingStarted.md", "swift build", "CI builds the executable; the tests run it"),
        Excerpt("GettingStarted.md", "files> lineed", "a drawing; ConnectTests finds files"),
        Excerpt("GettingStarted.md", "nc 127.0.0.1 7351", "the lines that follow are sent without nc"),
        Excerpt("Performance.md", "swift run -c release benchmarks\n", "takes minutes; CI runs them in short"),
        Excerpt("Performance.md", "swift run -c release benchmarks --budgets", "takes minutes; CI runs it"),
        Excerpt("Performance.md", "swift run -c release benchmarks --finder", "takes minutes, and 100,000 files"),
        Excerpt("Performance.md", "\(machine) 1 %", "figures as they were measured"),
        Excerpt("Performance.md", "2 × AMD EPYC, Linux 6.18.44-fc-v657", "figures as they were measured, of lists"),
        Excerpt("Performance.md", "swift run -c release benchmarks --only store", "takes minutes, and a release"),
        Excerpt("Performance.md", "\(machine) 7 %", "figures as they were measured, with a store"),
        Excerpt("Performance.md", "\(machine) 3 %", "figures as they were measured, of the finder"),
        Excerpt("TestingClients.md", #"{"story":"forgotten""#, "`ConformTests` plays it"),
        Excerpt("EmbeddingAServer.md", "extension ViewModelService: @retroactive", "it needs another package"),
        Excerpt("EmbeddingAServer.md", "let group = ServiceGroup(", "it needs another package"),
        Excerpt("EmbeddingAServer.md", "let logger = Logger(", "it needs another package"),
        Excerpt("RunningInProduction.md", "swift build -c release", "takes minutes; the benchmarks build the same"),
        Excerpt("SeveralServers.md", "for port in 7351", "it needs systemd; Tests/Servers/run deploys like this"),
    ]

    private init(_ document: String, _ begin: String, _ reason: String) {
        self.document = document
        self.begin = begin
        self.reason = reason
    }

    func matches(_ block: Document.Block) -> Bool {
        block.place.hasPrefix("\(document):") && block.text.hasPrefix(begin)
    }
}
