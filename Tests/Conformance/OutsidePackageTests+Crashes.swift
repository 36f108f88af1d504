import Glibc
import Testing

extension OutsidePackageTests {
    /// What a process says when it crashes is what its developer needs: what was printed, which view model, and where.
    func crash(_ folder: TemporaryFolder) throws {
        try keepPrintedText(folder)
        try nameWork(folder)
        try reportSentSignal(folder)
        try leaveBacktraceToSwift(folder)
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
    }
}
