import FoundationEssentials
import Testing
import Transcripts

/// `Schemas/transcript.schema.json` and the code that reads transcripts judge alike.
@Suite(.ownThread, .needsPythonSchemaValidator) struct TranscriptSchemaTests {
    private let schema = PythonSchemaValidator(schema: "transcript.schema.json")

    static let headers: [(String, isGood: Bool)] = [
        (#"{"transcript":1,"title":"a title"}"#, true),
        (#"{"transcript":1}"#, true),
        (#"{"transcript":1.0,"title":""}"#, true),
        (#" { "server":"x 1" , "made":["by","hand"], "protocolVersion":"1.1","title":"","transcript":1 } "#, true),
        (#"{"transcript":2,"title":"a title"}"#, false),
        (#"{"transcript":"1"}"#, false),
        (#"{"transcript":true}"#, false),
        (#"{"transcript":null}"#, false),
        (#"{"transcript":1,"title":null}"#, false),
        (#"{"transcript":1,"server":{"name":"x"}}"#, false),
        (#"{"transcript":1,"protocolVersion":1.0}"#, false),
        (#"{"title":"a title"}"#, false),
        (#"{"from":"client","message":{}}"#, false),
        ("[1]", false),
        ("1", false),
        ("{", false),
    ]

    static let entries: [(String, isGood: Bool)] = [
        (#"{"from":"client","connection":1,"at":0,"message":{}}"#, true),
        (#"{"message":[],"from":"server"}"#, true),
        (#"{"from":"server","message":{"result":{"$match":"string"}}}"#, true),
        (#"{"from":"client","text":""}"#, true),
        (#"{"from":"client","unframed":"GET / HTTP/1.1\r\n"}"#, true),
        (#"{"from":"server","end":true}"#, true),
        (#"{"from":"server","end":true,"at":1e3,"connection":2.0}"#, true),
        (#"{"from":"server","end":true,"at":9007199254740991,"connection":9007199254740991}"#, true),
        (#"{"from":"server","end":true,"at":9007199254740992}"#, false),
        (#"{"from":"server","end":true,"connection":9007199254740992}"#, false),
        (#"{"from":"server","end":true,"at":-1}"#, false),
        (#"{"from":"server","end":true,"at":0.5}"#, false),
        (#"{"from":"server","end":true,"at":"0"}"#, false),
        (#"{"from":"server","end":true,"at":null}"#, false),
        (#"{"from":"server","end":true,"at":true}"#, false),
        (#"{"from":"server","end":true,"connection":0}"#, false),
        (#"{"from":"server","end":false}"#, false),
        (#"{"from":"server","end":1}"#, false),
        (#"{"from":"server"}"#, false),
        (#"{"from":"server","end":true,"text":""}"#, false),
        (#"{"from":"server","message":{},"unframed":""}"#, false),
        (#"{"from":"server","message":{},"text":"","unframed":"","end":true}"#, false),
        (#"{"message":{}}"#, false),
        (#"{"from":"Server","message":{}}"#, false),
        (#"{"from":null,"message":{}}"#, false),
        (#"{"from":"client","message":"{}"}"#, false),
        (#"{"from":"client","message":null}"#, false),
        (#"{"from":"client","message":1}"#, false),
        (#"{"from":"client","text":{}}"#, false),
        (#"{"from":"client","unframed":[1]}"#, false),
        (#"{"from":"client","message":{},"note":"by hand"}"#, false),
        (#"{"from":"client","mesage":{}}"#, false),
        (#"{"transcript":1,"from":"client","message":{}}"#, false),
        (#"{"transcript":1}"#, false),
        ("{}", false),
        ("[]", false),
        ("null", false),
        (#"{"from":"client","message":{"#, false),
    ]

    @Test func `the schema and the reader judge a first line alike`() throws {
        let verdicts = try schema.judge(Self.headers.map(\.0), by: "/$defs/header")
        for ((line, isGood), verdict) in zip(Self.headers, verdicts) {
            #expect((verdict == nil) == isGood, "\(line): \(verdict ?? "valid")")
            #expect(try isRead(line + "\n") == isGood, "\(line)")
        }
    }

    @Test func `the schema and the reader judge every other line alike`() throws {
        let verdicts = try schema.judge(Self.entries.map(\.0), by: "/$defs/entry")
        for ((line, isGood), verdict) in zip(Self.entries, verdicts) {
            #expect((verdict == nil) == isGood, "\(line): \(verdict ?? "valid")")
            #expect(try isRead("{\"transcript\":1}\n\(line)\n") == isGood, "\(line)")
        }
    }

    @Test func `a line of either kind is known by its member "transcript"`() throws {
        let lines = Self.headers.filter(\.isGood) + Self.entries.filter(\.isGood)
        for verdict in try schema.judge(lines.map(\.0)) { #expect(verdict == nil) }
    }

    @Test func `a matcher is what stands in place of a value`() throws {
        let good = [
            #"{"$match":"string"}"#, #"{"$match":"integer","value":1}"#, #"{"$match":"any","value":null}"#,
            #"{"$match":"/a|b/"}"#, #"{"$match":"/é/","value":"é"}"#, #"{"$match":"boolean"}"#,
        ]
        let bad = [
            #"{"$match":"text"}"#, #"{"$match":1}"#, #"{"match":"any"}"#, #"{"$match":"/"}"#, #"{"$match":"/a"}"#,
            #"{"$match":"any","sample":1}"#, "1",
        ]
        let verdicts = try schema.judge(good + bad, by: "/$defs/matcher")
        for (line, verdict) in zip(good, verdicts) { #expect(verdict == nil, "\(line)") }
        for (line, verdict) in zip(bad, verdicts.dropFirst(good.count)) { #expect(verdict != nil, "\(line)") }
    }

    @Test func `every line of this project's transcripts is valid`() throws {
        let folder = "\(Checkout.root)/Tests/Transcripts"
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }
        var lines: [(place: String, text: String)] = []
        for name in names.sorted() {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            where !line.isEmpty {
                lines.append(("\(name):\(index + 1)", String(line)))
            }
        }
        try #require(!lines.isEmpty)
        for (line, verdict) in zip(lines, try schema.judge(lines.map(\.text))) {
            #expect(verdict == nil, "\(line.place): \(verdict ?? "")")
        }
    }

    private func isRead(_ text: String) throws -> Bool {
        let folder = try TemporaryFolder()
        let path = folder.file("a.jsonl")
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        do throws(TranscriptError) {
            let reader = try TranscriptReader(path: path)
            while try reader.next() != nil {}
            return true
        } catch {
            return false
        }
    }
}
