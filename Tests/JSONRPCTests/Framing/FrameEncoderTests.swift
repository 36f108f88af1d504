import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct FrameEncoderTests {
    @Test(arguments: [
        (Framing.headers, "Content-Length: 4\r\n\r\n\"é\"Content-Length: 0\r\n\r\n"), (.lines, "\"é\"\n\n"),
    ])
    func `the bytes are exactly these`(framing: Framing, expected: String) {
        #expect(String(decoding: encoded("\"é\"", framing) + encoded("", framing), as: UTF8.self) == expected)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 959, 960, 961, 1_023, 1_024, 1_025, 12_345, 1_000_000])
    func `a message of any length is the same from one part or three`(length: Int) {
        let text = String(repeating: "x", count: length / 2) + String(repeating: "y", count: length - length / 2)
        let expected = [
            Framing.headers: Array("Content-Length: \(length)\r\n\r\n\(text)".utf8), .lines: Array("\(text)\n".utf8),
        ]
        let bytes = Array(text.utf8)
        for framing in Framing.allCases {
            #expect(encoded(text, framing) == expected[framing])
            for beginning in [0, length / 3, length] {
                var output: [UInt8] = []
                bytes.withUnsafeBytes { bytes in
                    let parts = [0..<beginning, beginning..<beginning, beginning..<length].map {
                        UnsafeRawBufferPointer(rebasing: bytes[$0])
                    }
                    FrameEncoder(framing).append(parts[0], parts[1], parts[2], to: &output)
                    FrameEncoder(framing).append(parts[1], parts[2], parts[1], to: &output)
                }
                let rest = String(decoding: bytes[beginning...], as: UTF8.self)
                #expect(output == (expected[framing] ?? []) + encoded(rest, framing))
            }
        }
    }

    @Test(arguments: Framing.allCases)
    func `parts make one message`(framing: Framing) {
        let text = #"{"a":1}"#
        let bytes = Array(text.utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var output = Array("before".utf8)
                bytes.withUnsafeBytes { bytes in
                    let parts = [0..<first, first..<second, second..<bytes.count].map {
                        UnsafeRawBufferPointer(rebasing: bytes[$0])
                    }
                    FrameEncoder(framing).append(parts[0], parts[1], parts[2], to: &output)
                }
                #expect(output == Array("before".utf8) + encoded(text, framing))
            }
        }
    }

    @Test(arguments: Framing.allCases)
    func `encoded messages decode to the same messages`(framing: Framing) {
        let encoder = FrameEncoder(framing)
        let messages = ["{}", "[1]", "{\"text\":\"äöü\"}", "{" + String(repeating: " ", count: 10_000) + "}"]
        var output: [UInt8] = []
        for message in messages { Array(message.utf8).withUnsafeBytes { encoder.append($0, to: &output) } }
        #expect(frames([output]) == [.detected(framing)] + messages.map { .text($0) })
    }

    private func encoded(_ text: String, _ framing: Framing) -> [UInt8] {
        var output: [UInt8] = []
        Array(text.utf8).withUnsafeBytes { FrameEncoder(framing).append($0, to: &output) }
        return output
    }
}
