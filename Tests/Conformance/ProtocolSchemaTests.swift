import FoundationEssentials
import SchemaValidation
import Testing

/// `Schemas/protocol.schema.json` and `Schemas/openrpc.json` in the eyes of those who didn't write them.
@Suite(.ownThread, .needsPythonSchemaValidator) struct ProtocolSchemaTests {
    private let python = PythonSchemaValidator(schema: "protocol.schema.json")

    /// All that crossed in the recorded conversations, each once.
    private func judgements() throws -> [ProtocolSchema.Judgement] {
        let schema = try ProtocolSchema()
        let folder = "\(Checkout.root)/Tests/Transcripts"
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }
        var seen: Set<String> = []
        return try names.sorted().flatMap { name in
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            return try schema.follow(transcript: text).flatMap(\.judgements)
        }.filter { seen.insert("\($0.pointer) \($0.value.text)").inserted }
    }

    @Test func `Python judges every message of the transcripts as this package does`() throws {
        let judgements = try judgements()
        #expect(judgements.count > 300)
        try expectAgreement(on: judgements)
    }

    @Test func `Python judges what is nearly such a message as this package does`() throws {
        let schema = try ProtocolSchema()
        var seen: Set<String> = []
        // What is in a batch or is a result is judged by itself, too.
        let messages = try judgements().filter { judgement in
            judgement.isValid && !judgement.pointer.hasSuffix("Batch") && judgement.pointer != "/$defs/response"
                && seen.insert("\(judgement.pointer) \(judgement.value.shape)").inserted
        }
        let misses = messages.flatMap { message in
            message.value.nearMisses.filter { seen.insert("\(message.pointer) \($0.text)").inserted }
                .map { schema.judge($0, by: message.pointer) }
        }
        #expect(misses.filter(\.isValid).count > 100 && misses.filter { !$0.isValid }.count > 1_000)
        try expectAgreement(on: misses)
    }

    private func expectAgreement(on judgements: [ProtocolSchema.Judgement]) throws {
        let verdicts = try python.judge(judgements.map { ($0.pointer, $0.value.text) })
        for (judgement, verdict) in zip(judgements, verdicts) where judgement.isValid != (verdict == nil) {
            let ours = judgement.violations.first.map { "\($0)" } ?? "valid"
            Issue.record("\(judgement.pointer) of \(judgement.value.text): \(ours); Python: \(verdict ?? "valid")")
        }
    }

    /// OpenRPC's own schema refers to one for JSON Schemas that says what draft 7's does, which Python has; and it leaves
    /// open which versions there are.
    @Test func `openrpc.json is what OpenRPC asks for`() throws {
        let script = """
            import json, sys
            from jsonschema import Draft7Validator as Validator
            with open(sys.argv[1], encoding="utf-8") as file:
                text = file.read()
            tools, draft = "https://meta.json-schema.tools", "http://json-schema.org/draft-07/schema#"
            text = text.replace(tools + "/#/definitions/JSONSchemaObject", draft).replace('"' + tools + '"', '"' + draft + '"')
            schema = json.loads(text)
            del schema["$schema"], schema["$id"]
            schema["properties"]["openrpc"]["enum"] = ["1.3.2"]
            validator = Validator(schema)
            with open(sys.argv[2], encoding="utf-8") as file:
                document = json.load(file)
            for error in validator.iter_errors(document):
                print("/".join(map(str, error.absolute_path)), error.message[:200])
            del document["methods"][0]["params"]
            assert not validator.is_valid(document), "the schema takes everything"
            """
        let program = try Program(
            Tool.python.command,
            ["-c", script, Checkout.conformance("OpenRPC/meta-schema.json"), "\(Checkout.root)/Schemas/openrpc.json"])
        #expect(try program.lines() == [])
        #expect(try program.end() == .status(0), "\(program.report)")
    }
}
