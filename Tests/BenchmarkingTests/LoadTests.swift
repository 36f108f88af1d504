import Testing

import Benchmarking

@Suite struct FrameCounterTests {
    private static let notification =
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"id":"Content-Length: 9"}}"#
    private static let answer = #"{"jsonrpc":"2.0","id":100000001,"result":{"seq":2}}"#

    @Test(arguments: [LoadFraming.headers, .webSocket])
    func `answers and notifications are told apart however the stream is cut`(_ framing: LoadFraming) throws {
        let long = #"{"jsonrpc":"2.0","id":100000002,"result":"\#(String(repeating: "x", count: 200))"}"#
        let messages = [Self.notification, Self.answer, Self.notification, Self.notification, long]
        let bytes = messages.flatMap { framing == .headers ? frame($0) : webSocketFrame($0) }
        for first in 0...bytes.count {
            for size in [1, 7, 64, 100, bytes.count] {
                var counter = FrameCounter(framing)
                try counter.take(bytes[..<first])
                for start in stride(from: first, to: bytes.count, by: size) {
                    try counter.take(bytes[start..<min(start + size, bytes.count)])
                }
                try #require(counter.answers == 2 && counter.notifications == 3 && counter.isBetweenMessages)
            }
        }
    }

    @Test func `a message counts when its last byte is there`() throws {
        let bytes = frame(Self.answer)
        var counter = FrameCounter()
        try counter.take(bytes[..<(bytes.count - 1)])
        #expect(counter.answers == 0)
        #expect(!counter.isBetweenMessages)
        try counter.take(bytes[(bytes.count - 1)...])
        #expect(counter.answers == 1)
        #expect(counter.isBetweenMessages)
    }

    @Test func `a message that is longer than one read is passed over`() throws {
        let text = String(repeating: "x", count: 100_000)
        let bytes = frame(#"{"jsonrpc":"2.0","id":1,"result":"\#(text)"}"#) + frame(Self.notification)
        var counter = FrameCounter()
        for start in stride(from: 0, to: bytes.count, by: 4_096) {
            try counter.take(bytes[start..<min(start + 4_096, bytes.count)])
        }
        #expect(counter.answers == 1)
        #expect(counter.notifications == 1)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"kind":"a line and not a frame"}}"#,
        "Content-Length: none\r\n\r\n" + notification,
        "Content-Length: 3\r\n\r\n{}\n" + notification,
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\nServer: another\r\n\r\n",
    ])
    func `anything but such a frame is an error`(_ text: String) {
        var counter = FrameCounter()
        #expect(throws: FrameCounter.Malformed.self) { try counter.take(Array(text.utf8)[...]) }
    }

    /// A server's: without a mask.
    private func webSocketFrame(_ body: String) -> [UInt8] {
        let count = body.utf8.count
        let length = count < 126 ? [UInt8(count)] : [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [0x81] + length + body.utf8
    }

    private func frame(_ body: String) -> [UInt8] {
        Array("Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
}

extension FrameCounter {
    /// As if these bytes had been read.
    fileprivate mutating func take(_ bytes: ArraySlice<UInt8>) throws {
        let buffer = ReadBuffer()
        UnsafeMutableRawBufferPointer(start: buffer.address, count: bytes.count).copyBytes(from: bytes)
        try take(buffer.address, count: bytes.count)
    }
}

@Suite struct RequestRingTests {
    @Test func `requests come in turn, each with an id of its own`() {
        var ring = RequestRing(method: "m", params: ["{}", "[22]", "[333]"])
        let body = { (id: Int, params: String) in
            let text = #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":\#(params)}"#
            return "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
        let taken = (0..<5).map { _ in String(decoding: ring.next(), as: UTF8.self) }
        #expect(
            taken == [
                body(100_000_001, "{}"), body(100_000_002, "[22]"), body(100_000_003, "[333]"),
                body(100_000_004, "{}"), body(100_000_005, "[22]"),
            ])
    }
}
