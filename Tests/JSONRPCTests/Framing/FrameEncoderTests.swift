import JSONRPC
import Testing

@Suite struct FrameEncoderTests {
    @Test(arguments: [
        (Framing.headers, "Content-Length: 4\r\n\r\n\"é\"Content-Length: 0\r\n\r\n"), (.lines, "\"é\"\n\n"),
    ])
    func `the bytes are exactly these`(framing: Framing, expected: String) {
        let encoder = FrameEncoder(framing)
        var output: [UInt8] = []
        Array("\"é\"".utf8).withUnsafeBytes { encoder.append($0, to: &output) }
        encoder.append(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test(arguments: Framing.allCases)
    func `parts make one message`(framing: Framing) {
        let encoder = FrameEncoder(framing)
        var whole: [UInt8] = []
        Array("{\"a\":1}".utf8).withUnsafeBytes { encoder.append($0, to: &whole) }
        var parts: [UInt8] = []
        Array("{\"a\":".utf8).withUnsafeBytes { first in
            Array("1}".utf8).withUnsafeBytes { second in encoder.append(first, second, to: &parts) }
        }
        #expect(parts == whole)
    }

    @Test(arguments: Framing.allCases)
    func `what is encoded decodes to the same messages`(framing: Framing) {
        let encoder = FrameEncoder(framing)
        let messages = ["{}", "[1]", "{\"text\":\"äöü\"}", "{" + String(repeating: " ", count: 10_000) + "}"]
        var output: [UInt8] = []
        for message in messages { Array(message.utf8).withUnsafeBytes { encoder.append($0, to: &output) } }
        #expect(frames([output]) == [.detected(framing)] + messages.map { .text($0) })
    }
}
