import JSON
import JSONRPC
import TestSupport
import Testing
import Transcripts

@Suite(.inTurn) struct ContentDecoderTests {
    /// The bytes of one side of a connection, and the contents of its lines in short notation.
    static let inputs: [(String, [String])] = [
        ("", []),
        (" \r\n", ["unframed  \r\n"]),
        ("{ \"a\" : 1 }\n\r\n[ 1 , 2 ]\n", ["message {\"a\":1}", "message [1,2]"]),
        (
            "{}\nnot JSON\n12\n\"a\"\n{\n[]",
            ["message {}", "text not JSON", "text 12", "text \"a\"", "text {", "message []"]
        ),
        (
            "Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n{Content-Length: 0\r\n\r\n",
            ["message {}", "text {", "text "]
        ),
        (
            "Content-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n{\"é\"",
            ["message {}", "unframed Content-Length: 9\r\n\r\n{\"é\""]
        ),
        ("Content-Length: 2\r\n\r\n{}GET / é€😀", ["message {}", "unframed GET / é€😀"]),
        ("hello é€😀", ["unframed hello é€😀"]),
        (
            "Content-Type: a/b; charset=latin-1\r\nContent-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n{}",
            ["text (charset latin-1 is not supported; send utf-8)", "message {}"]
        ),
    ]

    @Test(arguments: inputs)
    func `each frame is one content, a message or text, in every split`(
        input: String, expected: [String]
    ) {
        let bytes = Array(input.utf8)
        for size in 1...max(1, bytes.count) {
            #expect(joined(take(apart: bytes, size)) == expected + ["end"], "in pieces of \(size)")
        }
    }

    @Test func `bytes that aren't UTF-8 become replacement characters`() {
        let bytes = Array("{\"".utf8) + [0xFF, 0xE2, 0x82, 0x0A, 0x7B, 0x7D]
        for size in 1...bytes.count {
            #expect(joined(take(apart: bytes, size)) == ["text {\"\u{FFFD}\u{FFFD}", "message {}", "end"])
        }
        for size in 1...6 {
            let unframed = take(apart: [0x80, 0x80, 0x80, 0x80, 0xE2, 0x82, 0x41, 0xF0, 0x9F, 0x98], size)
            #expect(joined(unframed) == ["unframed \(String(repeating: "\u{FFFD}", count: 5))A\u{FFFD}", "end"])
        }
    }

    @Test func `the framing is known from the first byte on`() {
        for (text, framing) in [("{", Framing.lines), ("Content", .headers)] {
            var decoder = ContentDecoder()
            #expect(decoder.framing == nil)
            Array(text.utf8).withUnsafeBytes { decoder.decode($0) { _ in } }
            #expect(decoder.framing == framing)
        }
    }

    private func take(apart bytes: [UInt8], _ size: Int) -> [TranscriptEntry.Content] {
        var decoder = ContentDecoder()
        var contents: [TranscriptEntry.Content] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { decoder.decode($0) { contents.append($0) } }
        }
        decoder.finish { contents.append($0) }
        return contents
    }

    /// In short notation, with unframed bytes in one piece.
    private func joined(_ contents: [TranscriptEntry.Content]) -> [String] {
        var texts: [String] = []
        for content in contents {
            switch content {
            case .message(let message): texts.append("message \(message)")
            case .text(let text): texts.append("text \(text)")
            case .unframed(let text) where texts.last?.hasPrefix("unframed") == true: texts[texts.count - 1] += text
            case .unframed(let text): texts.append("unframed \(text)")
            case .end: texts.append("end")
            }
        }
        return texts
    }
}
