import Glibc
import Testing

extension OutsidePackageTests {
    /// What a process says when it crashes is what its developer needs: what was printed, which view model, and where.
    func crash(_ folder: TemporaryFolder) throws {
        try keepPrintedText(folder)
        try nameWork(folder)
        try reportSentSignal(folder)
        try leaveBacktraceToSwift(folder)
        try crashAlone(folder)
    }

    private func keepPrintedText(_ folder: TemporaryFolder) throws {
        for kind in ["trap", "abort"] {
            let server = try Program(folder.file("build/debug/sleeper"), ["--stdio"])
            try server.send(
                Wire.initialize, Wire.open(2, "printer"), Wire.viewEvent(3, 1, #"{"kind":"printLines","count":10}"#),
                Wire.viewEvent(4, 1, #"{"kind":"\#(kind)"}"#))
            let text = try server.errorText()
            let words = try #require(text.firstRange(of: "the last words of a"), "\(text)")
            let name = try #require(text.firstRange(of: "error: printer.\(kind) "), "\(text)")
            #expect(text.contains("line 9 xxx") && words.upperBound < name.lowerBound)
            guard case .signal = try server.end() else {
                Issue.record("the \(kind) was no signal: \(try server.end())")
                continue
            }
        }
    }

    private func nameWork(_ folder: TemporaryFolder) throws {
        let crashes = [
            ("crasher", "indexOutOfRange", "CrashingViewModel.handle"),
            ("crasher", "unwrapLater", "(unwrap in"),
            ("crasher", "inGroup", "(divide in"), ("crasher", "overflowStack", "(depth in"),
            ("mainCrasher", "unwrap", "MainCrashingViewModel.handle"),
        ]
        for (viewModel, event, place) in crashes {
            let (text, ending) = try crash(folder, viewModel, event)
            #expect(text.contains("error: \(viewModel).\(event) trapped (SIG"), "\(text)")
            let frames = text.split(separator: "\n").filter { $0.hasPrefix("    at ") }
            #expect(frames.contains { $0.contains(place) }, "\(text)")
            guard case .signal(let number) = ending else {
                Issue.record("\(event) was no signal: \(ending)")
                continue
            }
            // As it would be without a report: a trap is SIGILL or SIGTRAP, by the processor's kind, a full stack SIGSEGV.
            #expect(event == "overflowStack" ? number == SIGSEGV : [SIGILL, SIGTRAP].contains(number))
        }
    }

    private func crash(
        _ folder: TemporaryFolder, _ viewModel: String, _ event: String, backtrace: String = "enable=no"
    ) throws -> (text: String, ending: Program.Ending) {
        let server = try Program(
            folder.file("build/debug/sleeper"), ["--stdio"], environment: ["SWIFT_BACKTRACE": backtrace])
        try server.send(
            Wire.initialize, Wire.open(2, viewModel), Wire.viewEvent(3, 1, #"{"kind":"\#(event)"}"#))
        return (try server.errorText(), try server.end())
    }

    private func reportSentSignal(_ folder: TemporaryFolder) throws {
        let server = try Program(folder.file("build/debug/sleeper"), ["--stdio"])
        try server.send(Wire.initialize, Wire.request(2, "ping"))
        try server.readLines(upTo: Wire.result(2, "null"))
        try server.signal(SIGABRT)
        let text = try server.errorText()
        #expect(text.contains("error: the process was sent SIGABRT"), "\(text)")
        #expect(try server.end() == .signal(SIGABRT))
    }

    /// Where Swift's own backtraces are on, they follow the name, and say more.
    private func leaveBacktraceToSwift(_ folder: TemporaryFolder) throws {
        let (text, _) = try crash(
            folder, "crasher", "indexOutOfRange", backtrace: "enable=yes,color=no,interactive=no")
        #expect(text.contains("error: crasher.indexOutOfRange trapped"), "\(text)")
        #expect(!text.contains("    at "), "\(text)")
        #expect(text.contains("Program crashed"), "\(text)")

        // It reads memory that isn't there, for which the signal mustn't be blocked, and says in the end how long it took.
        let server = try Program(
            folder.file("build/debug/sleeper"), ["--stdio"],
            environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"])
        try server.send(Wire.initialize, Wire.request(2, "ping"))
        try server.readLines(upTo: Wire.result(2, "null"))
        try server.signal(SIGSEGV)
        let whole = try server.errorText()
        #expect(whole.contains("Program crashed") && whole.contains("Backtrace took"), "\(whole)")
        #expect(try server.end() == .signal(SIGSEGV))
    }

    /// With `--isolate` the report names the client, and only that one's sessions end.
    private func crashAlone(_ folder: TemporaryFolder) throws {
        let server = try Program(
            folder.file("build/debug/sleeper"), ["--tcp", "0", "--isolate"],
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        let address = try server.listeningAddress()
        let clients = try ["one", "other"].map { name in
            let client = try Program(netcat: address)
            try client.send(
                Wire.request(1, "initialize", #"{"clientInfo":{"name":"\#(name)"}}"#), Wire.open(2, "crasher"),
                Wire.open(3, "printer"))
            try client.readLines { $0.contains(#""id":3,"result""#) }
            return client
        }
        try clients[0].send(Wire.viewEvent(4, 1, #"{"kind":"indexOutOfRange"}"#))
        #expect(try clients[0].line()?.hasPrefix(#"{"jsonrpc":"2.0","id":4,"error":{"code":-32014,"#) ?? false)
        var report: [String] = []
        while !(report.last?.contains("its sessions ended with it") ?? false) {
            report.append(try #require(try server.errorLine(), "\(report)"))
        }
        let words = #"error: crasher.indexOutOfRange trapped (SIG"#
        let line = try #require(report.first { $0.hasPrefix(words) }, "\(report)")
        #expect(line.hasSuffix(#"): the process of "one" ends, and every session with it"#))
        #expect(report.contains { $0.hasPrefix("    at ") && $0.contains("CrashingViewModel.handle") }, "\(report)")
        try clients[1].send(Wire.viewEvent(4, 2, #"{"kind":"printLines","count":0}"#))
        #expect(try clients[1].line() == Wire.viewModelEvent(2, 1, #"{"kind":"printed"}"#))
    }
}
