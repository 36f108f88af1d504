import Commands
import Examples
import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import TranscriptTesting
import ViewModelServer

private struct ExampleServer: Server {
    func register(in registry: inout Registry) {
        registry.add("counter") { CounterViewModel(arguments: $0) }
    }
}

private struct CountedServer: Server {
    static let log = Mutex<[String]>([])

    func register(in registry: inout Registry) {
        registry.add("counter") { CounterViewModel(arguments: $0) }
        Self.log.withLock { $0.append("register") }
    }

    func shutDown() async {
        Self.log.withLock { $0.append("shut down") }
    }
}

@Suite(.inTurn) struct TranscriptTests {
    /// A server whose orders take an hour of the transcript's time.
    private static func register(in registry: inout Registry) {
        ExampleServer().register(in: &registry)
        registry.container.register((any OrdersProvider).self) { try SampleOrdersProvider(clock: $0.resolve()) }
        registry.add("orders") { container in
            try OrdersViewModel(container: container, arguments: .init(count: 1, delay: 3_600))
        }
    }

    @Test(arguments: Transcript.all(in: "Transcripts"))
    func `every transcript of a folder is a test case`(_ transcript: Transcript) async {
        await transcript.replay(registering: Self.register)
    }

    @Test func `a transcript is replayed on a server type`() async {
        await Transcript("Transcripts/counter.jsonl").replay(on: ExampleServer.self)
    }

    @Test func `a test case has the name of its file`() {
        #expect(Transcript.all(in: "Transcripts").map(\.testDescription) == ["counter", "orders"])
    }

    /// Where transcripts are rewritten, the server isn't checked.
    private static let checks = ConditionTrait.disabled(
        if: TranscriptUpdates.areWanted, "transcripts are being rewritten")

    @Test(checks) func `a difference fails at its line of the transcript, and says how to accept it`() async throws {
        let path = try Self.changed("counter", from: #""value":42"#, to: #""value":43"#)
        defer { try? FileManager.default.removeItem(atPath: path) }
        await Self.expectIssue(at: path, line: 12, "/params/event/value", "framed by headers", "UPDATE_TRANSCRIPTS=1") {
            await Transcript(path).replay(registering: Self.register)
        }
    }

    @Test func `a broken transcript fails at its line`() async throws {
        let path = try Self.changed("counter", from: #"{"from":"client","connection":2,"at":3,"#, to: "at")
        defer { try? FileManager.default.removeItem(atPath: path) }
        await Self.expectIssue(at: path, line: 9, "not JSON") {
            await Transcript(path).replay(registering: Self.register)
        }
    }

    @Test func `a folder that is missing fails, and so does one without transcripts`() async throws {
        let path = "/tmp/transcripts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for folder in [path, "\(path)/none"] {
            let transcripts = Transcript.all(in: folder)
            #expect(transcripts.count == 1)
            await Self.expectIssue(at: folder, line: 1, folder) {
                await transcripts.first?.replay(registering: Self.register)
            }
        }
    }

    @Test(checks) func `clients must carry the token that a server is given`() async throws {
        let transcript = Transcript("Transcripts/counter.jsonl")
        await Self.expectIssue(at: transcript.path, line: 3, "/result") {
            await transcript.replay(token: "secret", registering: Self.register)
        }
    }

    /// As an older release of a server with more view models answered, without any matcher.
    private static let olderAnswer = #"""
        {"protocolVersion":"1.2","serverInfo":{"name":"shop","version":"0.0.9"},"capabilities":{"viewModels":\#
        [{"name":"basket"},{"name":"counter","type":"Old.CounterViewModel"}],"children":[{"name":"pay"}],\#
        "resume":true,"durable":false},"limits":{"messageBytes":1,"sessions":2,"pendingEvents":3,"replayEvents":4}}
        """#

    @Test(checks) func `a recording of another release of a server is taken as it is, unless a name is given`()
        async throws
    {
        let path = try Self.changed("counter", from: #"{"$match":"object"}"#, to: Self.olderAnswer)
        defer { try? FileManager.default.removeItem(atPath: path) }
        await Transcript(path).replay(registering: Self.register)
        await Self.expectIssue(at: path, line: 3, "/result/serverInfo/name") {
            await Transcript(path).replay(name: "store", registering: Self.register)
        }
        await Self.expectIssue(at: path, line: 3, "/result/") {
            await Transcript(path).replay(on: ExampleServer.self)
        }
        // The rest of the answer counts.
        let other = try Self.changed(
            "counter", from: #"{"$match":"object"}"#, to: Self.olderAnswer.replacing("true", with: "false"))
        defer { try? FileManager.default.removeItem(atPath: other) }
        await Self.expectIssue(at: other, line: 3, "/result/capabilities/resume") {
            await Transcript(other).replay(registering: Self.register)
        }
    }

    /// A server whose orders take an hour, unless its provider is another.
    private struct SlowServer: Server {
        func register(in registry: inout Registry) async throws {
            await Task.yield()
            registry.container.register((any OrdersProvider).self) { _ in throw NotInTests() }
            registry.add("counter") { CounterViewModel(arguments: $0) }
            registry.add("orders") { container in
                try OrdersViewModel(container: container, arguments: .init(count: 1, delay: 3_600))
            }
        }
    }

    private struct NotInTests: Error, CustomStringConvertible {
        var description: String { "the database is not for tests" }
    }

    @Test(checks) func `a test overrides one dependency of a server`() async {
        let transcript = Transcript("Transcripts/orders.jsonl")
        await transcript.replay(on: SlowServer.self) { container in
            container.register((any OrdersProvider).self) { try SampleOrdersProvider(clock: $0.resolve()) }
        }
        await Self.expectIssue(at: transcript.path, line: 5, "the member is missing") {
            await transcript.replay(on: SlowServer.self)
        }
    }

    @Test(checks) func `view models that can't be registered fail the test with the reason`() async {
        let transcript = Transcript("Transcripts/counter.jsonl")
        await Self.expectIssue(at: transcript.path, line: 1, "can't be registered: the database is not for tests") {
            await transcript.replay { _ in throw NotInTests() }
        }
    }

    @Test func `a server is told after each replay that it serves nobody any more`() async {
        await Transcript("Transcripts/counter.jsonl").replay(on: CountedServer.self)
        // With each framing.
        #expect(CountedServer.log.withLock { $0 } == ["register", "shut down", "register", "shut down"])
    }

    /// A copy of a transcript in which the first occurrence of a text is replaced.
    private static func changed(_ name: String, from old: String, to new: String) throws -> String {
        let text = try String(contentsOfFile: Transcript("Transcripts/\(name).jsonl").path, encoding: .utf8)
        try #require(text.contains(old))
        let path = "/tmp/transcript-\(UUID().uuidString).jsonl"
        try text.replacing(old, with: new, maxReplacements: 1).write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    /// Expects that a replay records an issue at this line, with these words, and no other.
    private static func expectIssue(
        at path: String, line: Int, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation,
        _ replay: () async -> Void
    ) async {
        await withKnownIssue("expected", sourceLocation: sourceLocation) {
            await replay()
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return issue.sourceLocation?.filePath == path && issue.sourceLocation?.line == line
                && words.allSatisfy { text.contains($0) }
        }
    }
}
