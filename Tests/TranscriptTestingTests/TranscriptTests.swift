import Commands
import Examples
import FoundationEssentials
import Testing
import ViewModelServer

@testable import TranscriptTesting

private enum ExampleServer: Server {
    static func register(in registry: inout Registry) {
        registry.add("counter") { CounterViewModel(arguments: $0) }
    }
}

struct TranscriptTests {
    /// A server whose orders take an hour of the transcript's time.
    private static func register(in registry: inout Registry, _ clock: TranscriptClock) {
        ExampleServer.register(in: &registry)
        registry.container.register((any OrdersProvider).self) { _ in SampleOrdersProvider(clock: clock) }
        registry.add("orders") { container in
            try OrdersViewModel(container: container, arguments: .init(count: 1, delay: 3_600))
        }
    }

    @Test(arguments: Transcript.all(in: "Transcripts"))
    func `every transcript of a folder is a test`(_ transcript: Transcript) async {
        await transcript.replay(registering: Self.register)
    }

    @Test func `one transcript is replayed on a server as it is`() async {
        await Transcript("Transcripts/counter.jsonl").replay(on: ExampleServer.self)
    }

    @Test func `a test has the name of its file`() {
        #expect(Transcript.all(in: "Transcripts").map(\.testDescription) == ["counter", "orders"])
    }

    /// Where transcripts are rewritten, none is judged by.
    private static let judges = ConditionTrait.disabled(
        if: TranscriptUpdates.areWanted, "transcripts are being rewritten")

    @Test(judges) func `a difference fails at its line of the transcript, and says how to accept it`() async throws {
        let path = try Self.changed("counter", from: #""value":42"#, to: #""value":43"#)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let issue = try #require(await Transcript(path).issue(registering: Self.register))
        Self.expect(issue, at: path, line: 12, "/params/event/value", "framed by headers", "UPDATE_TRANSCRIPTS=1")
    }

    @Test func `a broken transcript fails at its line`() async throws {
        let path = try Self.changed("counter", from: #"{"from":"client","connection":2,"at":3,"#, to: "at")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let issue = try #require(await Transcript(path).issue(registering: Self.register))
        Self.expect(issue, at: path, line: 9, "not JSON")
    }

    @Test func `a folder that is missing fails, and so does one without transcripts`() async throws {
        let path = "/tmp/transcripts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for folder in [path, "\(path)/none"] {
            let transcripts = Transcript.all(in: folder)
            #expect(transcripts.count == 1)
            let issue = try #require(await transcripts.first?.issue(registering: Self.register))
            Self.expect(issue, at: folder, line: 1, folder)
        }
    }

    @Test(judges) func `clients must carry the token that a server is given`() async throws {
        let transcript = Transcript("Transcripts/counter.jsonl")
        let issue = try #require(await transcript.issue(token: "secret", registering: Self.register))
        Self.expect(issue, at: transcript.path, line: 3, "/result")
    }

    /// A copy of a transcript with something in it exchanged, where it stands first.
    private static func changed(_ name: String, from old: String, to new: String) throws -> String {
        let text = try String(contentsOfFile: Transcript("Transcripts/\(name).jsonl").path, encoding: .utf8)
        try #require(text.contains(old))
        let path = "/tmp/transcript-\(UUID().uuidString).jsonl"
        try text.replacing(old, with: new, maxReplacements: 1).write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    private static func expect(
        _ issue: TranscriptIssue, at path: String, line: Int, _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(issue.path == path && issue.line == line, sourceLocation: sourceLocation)
        for word in words { #expect(issue.text.contains(word), sourceLocation: sourceLocation) }
    }
}
