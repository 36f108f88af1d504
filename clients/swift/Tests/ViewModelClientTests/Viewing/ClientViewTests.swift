import JSON
import TestSupport
import Testing
import ViewModelClient

@Suite(.timeLimit(.minutes(1))) struct ClientViewTests {
    @Test func `a view hears what its view model sends, and its event is answered when it was handled`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            #expect(client.server.viewModels.contains("counter"))
            let news = Recorder<ViewNews>()
            let view = try await client.open("counter", arguments: JSONText(#"{"start":5}"#)) { news.record($0) }
            #expect(try await view.send(JSONText(#"{"kind":"increment","by":2}"#)) == 2)
            #expect(
                news.elements == [
                    .event(JSONText(#"{"kind":"count","value":5}"#), seq: 1),
                    .event(JSONText(#"{"kind":"count","value":7}"#), seq: 2),
                ])
            try await view.close()
            await client.close()
            #expect(news.elements.count == 2)
        }
    }
}

extension JSONText {
    /// A literal of a test's.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        self = bytes.withUnsafeBytes { bytes in
            (try? JSONText(validating: bytes)) ?? JSONText { $0.string("not JSON: \(text)") }
        }
    }
}
