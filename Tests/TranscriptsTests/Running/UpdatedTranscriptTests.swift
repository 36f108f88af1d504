import FoundationEssentials
import Testing
import Transcripts

struct UpdatedTranscriptTests {
    private static let text = """
        {"transcript": 1, "title": "as a hand wrote it"}

        {"from": "client", "message": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}
          { "from":"server","message":{"id":1, "jsonrpc":"2.0","result":null} }

        {"from": "client", "message": {"jsonrpc": "2.0", "id": 2, "method": "ping"}}
        {"from": "server", "at": 5, "message": {"jsonrpc": "2.0", "id": 2, "result": null}}

        """

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.write(Self.text, to: "a.jsonl")
    }

    private func entries() throws -> [TranscriptEntry] {
        let reader = try TranscriptReader(path: path)
        var entries: [TranscriptEntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
    }

    private func write(_ entries: [TranscriptEntry]) throws -> Bool {
        try UpdatedTranscript(path: path, entries: entries).write()
    }

    @Test func `a file with the same entries isn't touched`() throws {
        #expect(try !write(entries()))
        #expect(try folder.read("a.jsonl") == Self.text)
    }

    @Test func `a missing line end at the end of a file is no change`() throws {
        let text = String(Self.text.dropLast())
        try folder.write(text, to: "a.jsonl")
        #expect(try !write(entries()))
        #expect(try folder.read("a.jsonl") == text)
    }

    @Test func `changed, new and dropped lines are written, and the others keep their layout`() throws {
        var entries = try entries()
        entries[1].content = .text("changed")
        entries[3].line = 0
        entries.remove(at: 2)
        #expect(try write(entries))
        #expect(
            try folder.read("a.jsonl") == """
                {"transcript": 1, "title": "as a hand wrote it"}

                {"from": "client", "message": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}
                {"from":"server","connection":1,"at":0,"text":"changed"}
                {"from":"server","connection":1,"at":5,"message":{"jsonrpc":"2.0","id":2,"result":null}}

                """)
    }

    @Test func `the file keeps its permissions, and nothing else is left in its folder`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(try write([]))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.jsonl"])
        #expect(try folder.read("a.jsonl") == "{\"transcript\": 1, \"title\": \"as a hand wrote it\"}\n")
    }

    @Test func `a link stays a link`() throws {
        let link = folder.file("link.jsonl")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.jsonl")
        #expect(try UpdatedTranscript(path: link, entries: []).write())
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a.jsonl")
        #expect(try folder.read("a.jsonl").split(separator: "\n").count == 1)
    }

    @Test func `a file that is gone is an error`() throws {
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: TranscriptError.self) { try write([]) }
    }
}
