import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct FrameDecoderUnframedTests {
    /// Each with the messages before and the bytes that no framing could take apart.
    static let inputs: [(String, messages: [String], unframed: String)] = [
        ("", [], ""),
        ("{}\n[]", ["{}", "[]"], ""),
        ("Content-Length: 2\r\n\r\n{}", ["{}"], ""),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", [], "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        (" \r\n GET", [], " \r\n GET"),
        (" \r\n", [], " \r\n"),
        ("{}\n{0123456789}\nmore", ["{}"], "{0123456789}\nmore"),
        ("Content-Length: 2\r\n\r\n{}GET /\r\n\r\nmore", ["{}"], "GET /\r\n\r\nmore"),
        ("A: b\r\nContent-Length: x\r\n\r\n{}", [], "A: b\r\nContent-Length: x\r\n\r\n{}"),
        ("Content-Length: 2\r\n\r\n{}A: b\r\nc: d\r\n\r\n{}", ["{}"], "A: b\r\nc: d\r\n\r\n{}"),
        ("Content-Length: 9\r\nA: b\r\n\r\nshort", [], "Content-Length: 9\r\nA: b\r\n\r\nshort"),
        ("Content-Length: 9\r\nA: b\r\n", [], "Content-Length: 9\r\nA: b\r\n"),
        ("Content-Length: 0\r\n\r\nContent-Le", [""], "Content-Le"),
        ("Content-Length: 99\r\n\r\n{}", [], "Content-Length: 99\r\n\r\n{}"),
        ("Content-Type: a; charset=x\r\nContent-Length: 2\r\n\r\n{}GET", [], "GET"),
    ]

    @Test(arguments: inputs)
    func `input without framing is kept whole, in every split`(
        text: String, messages: [String], unframed: String
    ) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            let found = take(apart: bytes, size)
            #expect(found.messages == messages, "in pieces of \(size)")
            #expect(found.unframed == unframed, "in pieces of \(size)")
        }
    }

    @Test func `who doesn't ask for it has none of it`() {
        var decoder = FrameDecoder()
        Array("GET".utf8).withUnsafeBytes { decoder.decode($0) { _ in true } }
        #expect(decoder.unframed.isEmpty)
    }

    private func take(apart bytes: [UInt8], _ size: Int) -> (messages: [String], unframed: String) {
        let limits = FrameDecoder.Limits(messageBytes: 10, headerBytes: 60)
        var decoder = FrameDecoder(limits: limits, keepsUnframed: true)
        var messages: [String] = []
        var unframed: [UInt8] = []
        func receive(_ frame: Frame) {
            if case .message(let bytes) = frame { messages.append(String(decoding: bytes, as: UTF8.self)) }
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { bytes in
                decoder.decode(bytes) {
                    receive($0)
                    return true
                }
            }
            unframed += decoder.unframed
        }
        decoder.finish(receive)
        return (messages, String(decoding: unframed + decoder.unframed, as: UTF8.self))
    }
}
