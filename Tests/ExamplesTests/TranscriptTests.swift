import Examples
import FoundationEssentials
import TestSupport
import Testing
import TranscriptTesting
import ViewModels

/// A search that takes 100 ms.
private actor SearchViewModel: ViewModel {
    enum ViewEvent: Codable, ScheduledEvent {
        case query(String)
        case select(index: Int)
        case accept

        var schedule: EventSchedule {
            switch self {
            case .query: .superseding(debounce: .milliseconds(50))
            case .select: .independent
            case .accept: .inOrder
            }
        }
    }

    enum ViewModelEvent: Codable {
        case results(of: String)
        case selected(index: Int)
        case accepted(String)
    }

    let output = Output<ViewModelEvent>()
    private let clock: any Clock<Duration>
    private var results = ""

    init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .query(let text):
            try await clock.sleep(for: .milliseconds(100))
            results = text
            output.send(.results(of: text))
        case .select(let index): output.send(.selected(index: index))
        case .accept: output.send(.accepted(results))
        }
    }
}

/// Every conversation of `Tests/Transcripts`, in both framings. A folder in it holds those with a server of
/// another kind.
@Suite(.inTurn) struct TranscriptTests {
    @Test(arguments: Transcript.all(in: "../Transcripts"))
    func conversation(_ transcript: Transcript) async {
        await replay(transcript)
    }

    @Test(arguments: Transcript.all(in: "../Transcripts/Token"))
    func `conversation with a server that wants a token`(_ transcript: Transcript) async {
        await replay(transcript, token: "open sesame")
    }

    @Test(arguments: Transcript.all(in: "../Transcripts/People"))
    func `conversation with a server that knows people`(_ transcript: Transcript) async {
        await replay(transcript, people: ["ada": "0123456789abcdef", "bob": "fedcba9876543210"])
    }

    @Test(arguments: Transcript.all(in: "../Transcripts/SmallLimits"))
    func `conversation with a server that holds little`(_ transcript: Transcript) async {
        var limits = Limits()
        limits.sessions = 1
        limits.hostedSessions = 1
        limits.batchMessages = 3
        limits.pendingEvents = 1
        limits.replayEvents = 2
        await replay(transcript, limits: limits)
    }

    @Test(arguments: Transcript.all(in: "Typing"))
    func `conversation with a view model that is typed into`(_ transcript: Transcript) async {
        await transcript.replay(name: "view-model-server") { registry in
            registry.add("search") { try SearchViewModel(clock: $0.resolve()) }
        }
    }

    // Those of Durable are replayed by the tests of Serving, which have a store that fails.
    @Test func `there is no folder of transcripts that nobody replays`() throws {
        let folder = #filePath.replacing("ExamplesTests/TranscriptTests.swift", with: "Transcripts")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.filter { !$0.hasSuffix(".jsonl") }.sorted() == ["Durable", "People", "SmallLimits", "Token"])
    }

    private func replay(
        _ transcript: Transcript, limits: Limits = Limits(), token: String? = nil, people: [String: String] = [:]
    ) async {
        await transcript.replay(
            name: "view-model-server", limits: limits, token: token, people: people, timeout: .seconds(240)
        ) { Examples.register(in: &$0) }
    }
}
