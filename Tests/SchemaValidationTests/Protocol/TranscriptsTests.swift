import SchemaValidation
import Testing

/// Recorded conversations and `Schemas/protocol.schema.json` agree.
@Suite struct TranscriptsTests {
    private let schema: ProtocolSchema

    init() throws {
        schema = try ProtocolSchema()
    }

    @Test(arguments: Transcripts.paths)
    func `the server's messages are valid, and it took no invalid one`(_ path: String) throws {
        let watches = try schema.follow(transcript: Transcripts.text(of: path))
        #expect(!watches.isEmpty)
        #expect(watches.flatMap(\.complaints) == [])
    }

    @Test func `the conversations are there`() {
        #expect(Transcripts.paths.count >= 20)
    }

    @Test func `the conversations hold every kind of message, and messages that are rejected`() throws {
        let watches = try Transcripts.paths.flatMap { try schema.follow(transcript: Transcripts.text(of: $0)) }
        let judgements = watches.flatMap(\.judgements)
        let pointers = Set(judgements.filter(\.isValid).map(\.pointer))
        for kind in ["clientRequest", "clientNotification", "cancellation", "clientBatch"] {
            #expect(pointers.contains("/$defs/\(kind)"), "\(kind)")
        }
        for kind in ["response", "errorResponse", "serverNotification", "serverBatch"] {
            #expect(pointers.contains("/$defs/\(kind)"), "\(kind)")
        }
        #expect(judgements.filter { !$0.isValid }.count >= 10)
    }

    @Test func `every result has been seen`() throws {
        let watches = try Transcripts.paths.flatMap { try schema.follow(transcript: Transcripts.text(of: $0)) }
        let seen = Set(watches.flatMap(\.exchanges).filter { $0.result != nil }.map(\.method))
        let results = schema.document.pointers.filter { $0.hasSuffix(".result") && $0.split(separator: "/").count == 2 }
        let unseen = results.filter { pointer in
            !seen.contains { ProtocolSchema.pointer(to: "\($0).result") == pointer }
        }
        #expect(unseen.isEmpty)
    }
}
