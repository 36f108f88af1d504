import Contracts
import FoundationEssentials
import SchemaValidation
import Testing

/// `SchemaValidation`, which most tests rely on, judges as Python's `jsonschema` does. `ProtocolSchemaTests` compares
/// the two on the protocol's schema.
@Suite(.ownThread, .needsPythonSchemaValidator) struct SchemaJudgesTests {
    /// A text, and the schema of the document to judge it by.
    private typealias Message = (pointer: String, text: String)

    @Test func `both judge every line of the transcript format alike`() throws {
        let lines =
            TranscriptSchemaTests.headers.map { Message("/$defs/header", $0.0) }
            + TranscriptSchemaTests.entries.map { Message("/$defs/entry", $0.0) }
        let path = "\(Checkout.root)/Schemas/transcript.schema.json"
        try expectAgreement(on: lines + lines.map { Message("", $0.text) }, path: path)
    }

    @Test func `both judge every event of the examples alike`() throws {
        let folder = "\(Checkout.root)/Schemas/view-models"
        let messages = Dictionary(grouping: try WireEvents.all(), by: \.viewModel)
        #expect(messages.count >= 4)
        for (name, messages) in messages {
            try expectAgreement(
                on: messages.map { Message("/\($0.part)", $0.json) }, path: "\(folder)/\(name).schema.json")
        }
    }

    @Test func `both judge every form that a contract can have alike`() throws {
        let folder = try TemporaryFolder()
        for (index, contract) in EveryForm.contracts.enumerated() {
            let messages = EveryForm.messages.filter { $0.viewModel == contract.name }
            // The others are about names.
            guard !messages.isEmpty else { continue }
            let path = try folder.write([contract.json.line], to: "\(index).json")
            try expectAgreement(on: messages.map { Message("/\($0.part)", $0.json) }, path: path)
        }
    }

    /// On the messages, and on all that differ from one of them in a single place.
    private func expectAgreement(on messages: [Message], path: String) throws {
        let document = try SchemaDocument(text: String(contentsOfFile: path, encoding: .utf8))
        let misses = messages.flatMap { message in
            ((try? ExactJSON(text: message.text))?.nearMisses ?? []).map { Message(message.pointer, $0.text) }
        }
        let all = messages + misses
        let verdicts = try PythonSchemaValidator(path: path).judge(all)
        var counts = [true: 0, false: 0]
        for (message, verdict) in zip(all, verdicts) {
            let violations = document.validate(text: message.text, by: message.pointer)
            counts[violations.isEmpty, default: 0] += 1
            let ours = violations.first.map { "\($0)" } ?? "valid"
            #expect(violations.isEmpty == (verdict == nil), "\(message): \(ours); Python: \(verdict ?? "valid")")
        }
        #expect(counts.values.allSatisfy { $0 > 0 }, "only \(counts) in \(path)")
    }
}
