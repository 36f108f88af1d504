import JSON
import TestSupport
import Testing
import Transcripts

@Suite(.inTurn) struct TranscriptEncoderTests {
    static let headers: [(TranscriptHeader, String)] = [
        (TranscriptHeader(title: "a title"), #"{"transcript":1,"title":"a title"}"#),
        (
            TranscriptHeader(title: "é \"\n", server: "x 1.2", protocolVersion: "1.1"),
            #"{"transcript":1,"title":"é \"\n","server":"x 1.2","protocolVersion":"1.1"}"#
        ),
    ]

    @Test(arguments: headers)
    func `a header is one line with its members in order`(header: TranscriptHeader, expected: String) throws {
        let bytes = TranscriptEncoder.encode(header)
        #expect(String(decoding: bytes, as: UTF8.self) == expected + "\n")
        let file = try ScratchFile(bytes)
        #expect(try TranscriptReader(path: file.path).header == header)
    }

    static let contents: [(TranscriptEntry.Content, String)] = [
        (.message(json(#" { "id" : 1.0 , "a" : "\u00e9 b" } "#)), #""message":{"id":1.0,"a":"\u00e9 b"}"#),
        (.message(json("[ 1 , {} ]")), #""message":[1,{}]"#),
        (.text("{\"id\": \n\u{0}\u{7F}\u{2028}é"), #""text":"{\"id\": \n\u0000\#u{7F}\#u{2028}é""#),
        (.text(""), #""text":"""#),
        (.unframed("GET / HTTP/1.1\r\n"), #""unframed":"GET / HTTP/1.1\r\n""#),
        (.end, #""end":true"#),
    ]

    @Test(arguments: contents)
    func `an entry is one line, and reads back the same`(content: TranscriptEntry.Content, expected: String) throws {
        let entry = TranscriptEntry(line: 2, from: .server, connection: 3, at: 1500, content: content)
        let bytes = TranscriptEncoder.encode(entry)
        #expect(
            String(decoding: bytes, as: UTF8.self) == #"{"from":"server","connection":3,"at":1500,\#(expected)}"# + "\n"
        )
        let file = try ScratchFile(TranscriptEncoder.encode(TranscriptHeader(title: "")) + bytes)
        #expect(try TranscriptReader(path: file.path).next() == entry)
    }

    /// Only texts that are JSON are given.
    private static func json(_ text: String) -> JSONText {
        (try? Array(text.utf8).withUnsafeBytes { try JSONText(validating: $0) }) ?? JSONText { $0.null() }
    }
}
