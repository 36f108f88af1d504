import JSON
import JSONRPC
import SchemaValidation
import Serving
import TestSupport
import Testing
import ViewModelProtocol

/// The hand-written ways of `view/event` and `viewModel/event`, held against their types.
@Suite(.inTurn) struct PlainViewEventTests {
    private static let usual = [
        #"{"session":1,"event":{"kind":"a"}}"#,
        #"{"session":12,"event":{"kind":"a","by":1.50},"number":3,"workDoneToken":"t"}"#,
        #"{"event":[],"session":0,"workDoneToken":7,"number":null,"other":{}}"#,
        #"[{"session":1,"event":"a"}]"#,
    ]

    @Test(arguments: usual)
    func `one pass reads the values that the type reads`(text: String) throws {
        try compare(text)
        try withParams(text) { plain, _ in #expect(plain != nil) }
    }

    @Test(arguments: usual)
    func `params that are nearly that are read by the type, or to the same values`(text: String) throws {
        for miss in try ExactJSON(text: text).nearMisses { try compare(miss.text) }
    }

    @Test(arguments: [
        #"{"session":1.0,"event":{"kind":"a"}}"#, #"{"session":1,"event":{"kind":"a"},"number":1e0}"#,
        #"{"session":1,"event":null}"#, #"{"session":1,"event":{},"workDoneToken":1.5}"#, "{}", "[]",
    ])
    func `unusual params are left to the type`(text: String) throws {
        try withParams(text) { plain, _ in #expect(plain == nil) }
    }

    /// Both read the same values, or the type alone reads or refuses them.
    private func compare(_ text: String) throws {
        try withParams(text) { plain, params in
            guard let plain else { return }
            let typed = try ViewEvent.params(params)
            #expect(plain.session == typed.session.rawValue, "\(text)")
            #expect(JSONText(plain.event.value) == typed.event.json, "\(text)")
            #expect(plain.number == typed.number?.rawValue, "\(text)")
            #expect(plain.workDoneToken?.description == typed.workDoneToken?.description, "\(text)")
        }
    }

    /// As they are noted with their message, and by themselves.
    private func withParams(_ text: String, _ body: (PlainViewEvent?, Params) throws -> Void) throws {
        try Array(#"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(text)}"#.utf8).withUnsafeBytes { bytes in
            try ValueNotes.lend { notes in
                guard case .message(.request(_, _, let value)) = MessageDecoder().decode(bytes, notes: notes) else {
                    Issue.record("no request: \(text)")
                    return
                }
                // What is no object is refused before.
                guard let noted = try? Params(value, notes: notes) else { return }
                for params in [noted, try Params(value)] {
                    guard params.object != nil else { return try body(nil, params) }
                    try params.parse { try body(PlainViewEvent($0), params) }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2))) func `notifications have the bytes that their types have`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "counter"))
            _ = try await client.next()
            client.send(
                Wire.request("2", ViewEvent.name.description, #"{"session":1,"event":{"kind":"increment","by":2}}"#))
            var seen: Set<String> = []
            for _ in 0..<3 {
                let text = try await client.next()
                let message = try ExactJSON(text: text)
                guard message["method"]?.string == ViewModelEvent.name.description else { continue }
                let json = try Array(text.utf8).withUnsafeBytes { try JSONText(validating: $0) }
                let again = try json.withValue { value in
                    let params = try ViewModelEvent.params(try #require(value.member("params")))
                    return JSONText { MessageEncoder.notification(ViewModelEvent.self, params, into: &$0) }
                }
                #expect(again.description == text)
                seen.insert(text)
            }
            #expect(!seen.isEmpty)
        }
    }
}
