import FoundationEssentials
import JSON
import TestSupport
import Testing
import Transcripts

@Suite(.inTurn) struct TranscriptReaderTests {
    static let header = #"{"transcript":1,"title":"a title"}"#
    static let ping = #"{"from":"client","message":{"id":1}}"#

    /// Edits of a file, and the texts of its messages with the numbers of their lines.
    static let files: [(String, [String])] = [
        ("\(header)\n", []),
        (header, []),
        ("\(header)\n\(ping)\n", ["2: {\"id\":1}"]),
        ("\(header)\n\(ping)", ["2: {\"id\":1}"]),
        ("\(header)\r\n\(ping)\r\n\r\n\(ping)\r", ["2: {\"id\":1}", "4: {\"id\":1}"]),
        ("\(header)\n\n \t\n\(ping)\n\n\n\(ping)\n\n", ["4: {\"id\":1}", "7: {\"id\":1}"]),
        (
            """
             { "title" : "a title" , "transcript" : 1 }\u{20}
              { "message" : { "id" : 1 } , "from" : "client" }
            """, ["2: {\"id\":1}"]
        ),
    ]

    @Test(arguments: files)
    func `a file edited by hand is read, and lines keep their numbers`(text: String, expected: [String]) throws {
        let (header, entries) = try read(text.utf8)
        #expect(header == TranscriptHeader(title: "a title"))
        #expect(entries.map { "\($0.line): \(message($0))" } == expected)
    }

    @Test func `missing members of a line have defaults`() throws {
        let (_, entries) = try read("\(Self.header)\n\(Self.ping)".utf8)
        #expect(entries.first?.connection == 1)
        #expect(entries.first?.at == 0)
    }

    @Test func `a header needs only the version, and may have unknown members`() throws {
        let (header, _) = try read(
            #"{"transcript":1,"made with":["love"],"server":"x 1","protocolVersion":"1.1"}"#.utf8)
        #expect(header == TranscriptHeader(title: "", server: "x 1", protocolVersion: "1.1"))
    }

    /// Each after a good header and two good lines, so in line 4.
    static let badLines: [(String, String)] = [
        (#"{"from":"client","message":{"id":"#, "the line is cut off: expected a value but the text ends at byte 33"),
        ("{", "the line is cut off: expected a member name in quotes or '}' but the text ends at byte 1"),
        ("hello", "not JSON: expected a value but found 'h' at byte 0"),
        (#"{"from":"client",}"#, "not JSON: expected a member name in quotes but found '}' at byte 17"),
        (#"{"from":"client"} {}"#, "not JSON: expected the end of the text but found '{' at byte 18"),
        ("{\"from\":\"cli\u{0}ent\"}", "not JSON: the control character 0x00 must be escaped at byte 12"),
        ("[]", "a line must be a JSON object, not an array"),
        ("12", "a line must be a JSON object, not a number"),
        ("{}", #""from" must be "client" or "server""#),
        (#"{"from":"Client","end":true}"#, #""from" must be "client" or "server""#),
        (#"{"from":1,"end":true}"#, #""from" must be "client" or "server""#),
        (#"{"from":"client"}"#, #"exactly one of "message", "text", "unframed" and "end" must be there, not 0"#),
        (
            #"{"from":"client","end":true,"text":""}"#,
            #"exactly one of "message", "text", "unframed" and "end" must be there, not 2"#
        ),
        (#"{"from":"client","mesage":{}}"#, #"there is no member "mesage" in a transcript"#),
        (
            #"{"from":"client","end":true,"\#(String(repeating: "x", count: 99))":1}"#,
            #"there is no member "\#(String(repeating: "x", count: 40))…" in a transcript"#
        ),
        (#"{"from":"client","transcript":1,"end":true}"#, #"there is no member "transcript" in a transcript"#),
        (#"{"from":"client","message":"{}"}"#, #""message" must be an object, or an array for a batch, not a string"#),
        (#"{"from":"client","message":null}"#, #""message" must be an object, or an array for a batch, not null"#),
        (#"{"from":"client","text":{}}"#, #""text" must be a string, not an object"#),
        (#"{"from":"client","unframed":1}"#, #""unframed" must be a string, not a number"#),
        (#"{"from":"client","end":false}"#, #""end" can only be true"#),
        (#"{"from":"client","end":1}"#, #""end" can only be true"#),
        (
            #"{"from":"client","end":true,"connection":0}"#,
            #""connection" must be an integer from 1 to 9007199254740991"#
        ),
        (
            #"{"from":"client","end":true,"connection":"1"}"#,
            #""connection" must be an integer from 1 to 9007199254740991"#
        ),
        (#"{"from":"client","end":true,"at":-1}"#, #""at" must be an integer from 0 to 9007199254740991"#),
        (#"{"from":"client","end":true,"at":1.5}"#, #""at" must be an integer from 0 to 9007199254740991"#),
        (#"{"from":"client","end":true,"at":null}"#, #""at" must be an integer from 0 to 9007199254740991"#),
        (#"{"from":"client","end":true,"at":1e99}"#, #""at" must be an integer from 0 to 9007199254740991"#),
    ]

    @Test(arguments: badLines)
    func `an invalid line is an error with the file, the line and the reason`(
        line: String, reason: String
    ) throws {
        for end in ["", "\n", "\r\n", "\n\(Self.ping)\n"] {
            let file = try ScratchFile("\(Self.header)\n\(Self.ping)\n\n\(line)\(end)".utf8)
            let reader = try TranscriptReader(path: file.path)
            #expect(try reader.next()?.line == 2)
            let error = #expect(throws: TranscriptError.self) { try reader.next() }
            // A carriage return is part of the line, so the error's offset counts it, and it may be the unexpected
            // byte.
            if end != "\r\n" { #expect(error?.description == "\(file.path):4: \(reason)") }
            #expect(error?.line == 4)
        }
    }

    static let badHeaders: [([UInt8], String)] = [
        (Array(), "the file is empty: it has no header"),
        (Array("\n\(header)".utf8), "\(advice): the line is cut off: expected a value but the text ends at byte 0"),
        (Array("PNG".utf8), "\(advice): not JSON: expected a value but found 'P' at byte 0"),
        (Array(ping.utf8), advice),
        (Array("[1]".utf8), advice),
        (
            Array(#"{"transcript":"#.utf8),
            "\(advice): the line is cut off: expected a value but the text ends at byte 14"
        ),
        (
            [0xEF, 0xBB, 0xBF] + Array(header.utf8),
            "\(advice): the file begins with a byte order mark; save it as UTF-8 without one"
        ),
        ([0xFF, 0xFE, 0x7B, 0x00], "\(advice): not JSON: expected a value but found 0xFF at byte 0"),
        ([0x00, 0x00], "\(advice): not JSON: expected a value but found 0x00 at byte 0"),
        (Array(#"{"transcript":2,"title":""}"#.utf8), "version 2 of the format is unknown; this program reads 1"),
        (Array(#"{"transcript":"1"}"#.utf8), #"version "1" of the format is unknown; this program reads 1"#),
        (Array(#"{"transcript":null}"#.utf8), "version null of the format is unknown; this program reads 1"),
        (Array(#"{"transcript":1,"title":7}"#.utf8), #""title" must be a string, not a number"#),
        (Array(#"{"transcript":1,"server":{}}"#.utf8), #""server" must be a string, not an object"#),
        (Array(#"{"transcript":1,"protocolVersion":1.0}"#.utf8), #""protocolVersion" must be a string, not a number"#),
    ]
    private static let advice = #"no transcript: its first line must be a header like {"transcript":1,"title":"…"}"#

    @Test(arguments: badHeaders)
    func `an invalid first line is an error that shows a valid one`(bytes: [UInt8], reason: String) throws {
        let file = try ScratchFile(bytes)
        let error = #expect(throws: TranscriptError.self) { try TranscriptReader(path: file.path) }
        #expect(error?.description == "\(file.path):1: \(reason)")
    }

    @Test func `bytes that aren't UTF-8 are an error with their offset`() throws {
        let line = Array(#"{"from":"client","text":""#.utf8)
        let file = try ScratchFile(Array("\(Self.header)\n".utf8) + line + [0xFF, 0x22, 0x7D, 0x0A])
        let reader = try TranscriptReader(path: file.path)
        let error = #expect(throws: TranscriptError.self) { try reader.next() }
        #expect(error?.description == "\(file.path):2: not JSON: invalid UTF-8 at byte 25")
    }

    @Test func `a file that was cut anywhere is an error: its last line is cut off`() throws {
        let line = #"{"from":"server","connection":12,"at":34,"message":{"é":["€😀",true,null,-1.5e3]}}"#
        let bytes = Array("\(Self.header)\n\(line)".utf8)
        for end in (Self.header.utf8.count + 2)..<bytes.count {
            let file = try ScratchFile(bytes[..<end])
            let reader = try TranscriptReader(path: file.path)
            let error = #expect(throws: TranscriptError.self) { try reader.next() }
            let reason = error?.reason ?? ""
            #expect(error?.line == 2)
            #expect(reason.hasPrefix("the line is cut off: "), "at \(end): \(reason)")
        }
    }

    @Test func `a file that is missing or can't be read is an error with its path`() throws {
        #expect(reason(of: "/nowhere/a.jsonl") == "/nowhere/a.jsonl: No such file or directory")
        #expect(reason(of: "") == ": No such file or directory")
        #expect(reason(of: "/tmp") == "/tmp: Is a directory")
    }

    @Test func `a very long line is read whole`() throws {
        let text = String(repeating: "é\\n ", count: 1 << 20)
        let (_, entries) = try read(#"\#(Self.header)\#n{"from":"server","message":{"a":"\#(text)"}}"#.utf8)
        #expect(entries.first.map(message)?.utf8.count == text.utf8.count + #"{"a":""}"#.utf8.count)
    }

    @Test func `a message may nest as deeply as a server accepts, and no deeper`() throws {
        func file(_ depth: Int) -> String {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return #"\#(Self.header)\#n{"from":"server","message":\#(nested)}"#
        }
        #expect(try read(file(JSONReader.defaultMaximumDepth).utf8).entries.count == 1)
        #expect(throws: TranscriptError.self) { try read(file(JSONReader.defaultMaximumDepth + 1).utf8) }
    }

    private func read(_ bytes: some Sequence<UInt8>) throws -> (header: TranscriptHeader, entries: [TranscriptEntry]) {
        let file = try ScratchFile(bytes)
        let reader = try TranscriptReader(path: file.path)
        var entries: [TranscriptEntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return (reader.header, entries)
    }

    private func message(_ entry: TranscriptEntry) -> String {
        if case .message(let text) = entry.content { text.description } else { "no message" }
    }

    private func reason(of path: String) -> String? {
        do throws(TranscriptError) {
            _ = try TranscriptReader(path: path)
            return nil
        } catch {
            return error.description
        }
    }
}
