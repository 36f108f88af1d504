import JSONRPC
import Testing
import TestSupport

@Suite(.inTurn) struct FrameDecoderTests {
    @Test func `the first byte chooses the framing`() {
        for byte in UInt8.min...UInt8.max {
            let found = frames([[byte]], finishing: false).first
            switch Character(Unicode.Scalar(byte)) {
            case "{", "[": #expect(found == .detected(.lines))
            case "C", "c": #expect(found == .detected(.headers))
            case " ", "\t", "\n", "\r": #expect(found == nil)
            default: #expect(found?.failureCode == .parseError)
            }
        }
    }

    /// Each with the frames that it must be cut into.
    static let conversations: [(String, [SeenFrame])] = [
        ("", []),
        (" \r\n\t\n", []),
        ("{}\n[1]\n", [.detected(.lines), .text("{}"), .text("[1]")]),
        ("{}\r\n{}\r\n", [.detected(.lines), .text("{}"), .text("{}")]),
        ("\n \r\n\t{}\n\n  \n\r\n{\"a\":\"é\"}\n", [.detected(.lines), .text("{}"), .text("{\"a\":\"é\"}")]),
        ("{}\nnot JSON\n {} \n", [.detected(.lines), .text("{}"), .text("not JSON"), .text(" {} ")]),
        ("{}\n{\"last\":1}", [.detected(.lines), .text("{}"), .text("{\"last\":1}")]),
        ("{}\n{}\r", [.detected(.lines), .text("{}"), .text("{}")]),
        ("{}\n \r", [.detected(.lines), .text("{}")]),
        ("{}Content-Length: 2\r\n\r\n{}", [.detected(.lines), .text("{}Content-Length: 2"), .text("{}")]),
        ("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", [.detected(.headers), .text("{}"), .text("[1]")]),
        (
            " \r\n\r\nContent-Length: 2\r\n\r\n{}content-length:4\r\nX: y\r\n\r\n\r\n{}",
            [.detected(.headers), .text("{}"), .text("\r\n{}")]
        ),
        (
            "Content-Type: a/b; charset=utf8\r\nContent-Length: 4\r\n\r\n\"é\"Content-Length: 0\r\n\r\n",
            [.detected(.headers), .text("\"é\""), .text("")]
        ),
        ("Content-Length: 3\r\n\r\na\nbContent-Length: 1\r\n\r\n1", [.detected(.headers), .text("a\nb"), .text("1")]),
        (
            "Content-Type: a/b; charset=latin-1\r\nContent-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n{}",
            [
                .detected(.headers), .unreadable(RPCError(.parseError, "charset latin-1 is not supported; send utf-8")),
                .text("{}"),
            ]
        ),
        (
            "Content-Length: 0\r\nContent-Type: a/b; charset=latin-1\r\n\r\n",
            [.detected(.headers), .unreadable(RPCError(.parseError, "charset latin-1 is not supported; send utf-8"))]
        ),
    ]

    /// Each ends with a failure of this kind; what comes behind is never looked at.
    static let failures: [(String, ErrorCode, String)] = [
        ("x", .parseError, "the first byte is 'x'"),
        (" GET / HTTP/1.1\r\n", .parseError, "the first byte is 'G'"),
        ("\u{FEFF}{}\n", .parseError, "the first byte is 0xEF"),
        ("\u{0}{}\n", .parseError, "the first byte is 0x0"),
        ("3\n", .parseError, "the first byte is '3'"),
        ("Content-Length: 2\n\n{}", .parseError, "must end with \\r\\n"),
        ("Content-Length: 2\r\n\n{}", .parseError, "must end with \\r\\n"),
        ("Content-Length: -1\r\n\r\n", .parseError, "not \"-1\""),
        ("Content-Length: \r\n\r\n", .parseError, "not \"\""),
        ("Content-Length: two\r\n\r\n{}", .parseError, "not \"two\""),
        ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", .parseError, "more than one"),
        ("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", .parseError, "more than one"),
        ("Content-Type: a/b\r\n\r\n{}", .parseError, "without Content-Length"),
        ("Content-Length 2\r\n\r\n{}", .parseError, "no colon"),
        ("Content-Length: 2\r\n\r\n{}\r\nContent-Length: 2\r\n\r\n{}", .parseError, "without Content-Length"),
        ("Content-Length: 1048577\r\n\r\n", .limitExceeded, "longer than 1048576 bytes"),
        ("Content-Length: 99999999999999999999\r\n\r\n", .limitExceeded, "longer than 1048576 bytes"),
        ("Content-Length: 9223372036854775807\r\n\r\n", .limitExceeded, "longer than 1048576 bytes"),
        ("C" + String(repeating: "x", count: 8_192), .limitExceeded, "a header block is longer than 8192 bytes"),
        ("Content-Length: 2\r\n\r\n{", .parseError, "ended after 1 of a message's 2 bytes"),
        ("Content-Length: 2\r\n", .parseError, "ended in the middle of a header block"),
        ("Content-Length: 2\r\n\r\n{}C", .parseError, "ended in the middle of a header block"),
        ("Content-Type: a/b; charset=x\r\nContent-Length: 2\r\n\r\n{", .parseError, "charset x is not supported"),
    ]

    private let limits = FrameDecoder.Limits(messageBytes: 1 << 20)

    @Test(arguments: conversations)
    func `a conversation is cut into its messages`(text: String, expected: [SeenFrame]) {
        #expect(frames(text) == expected)
    }

    @Test(arguments: conversations.map(\.0) + failures.map(\.0))
    func `every split and every single byte give the same frames`(text: String) {
        let bytes = Array(text.utf8)
        let whole = frames([bytes], limits: limits)
        #expect(frames(bytes.map { [$0] }, limits: limits) == whole)
        // Long texts are one byte many times; their ends are what matters.
        for split in bytes.indices where split < 200 || split > bytes.count - 200 {
            #expect(frames([Array(bytes[..<split]), Array(bytes[split...])], limits: limits) == whole, "at \(split)")
            #expect(frames([Array(bytes[..<split]), [], Array(bytes[split...])], limits: limits) == whole)
        }
    }

    @Test(arguments: failures)
    func `a framing error is one failure that says what is wrong`(text: String, code: ErrorCode, reason: String) {
        let found = frames(text, limits: limits)
        guard case .failure(let error)? = found.last else {
            Issue.record("no failure: \(found)")
            return
        }
        #expect(error.code == code)
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(found.count { $0.isFailure } == 1)
    }

    @Test(arguments: failures.filter { !$0.2.contains("ended") && !$0.0.hasPrefix("Content-Type: a/b; c") })
    func `nothing comes after a failure`(text: String, code: ErrorCode, reason: String) {
        let more = Array("\r\n\r\nContent-Length: 2\r\n\r\n{}\n{}\n".utf8)
        #expect(frames([Array(text.utf8) + more, more, more], limits: limits).last?.failureCode == code)
        #expect(frames([Array(text.utf8), more], limits: limits) == frames([Array(text.utf8)], limits: limits))
    }

    @Test func `the end of the input inside headers or a body is a failure, between messages it is not`() {
        let message = Array("Content-Length: 2\r\n\r\n{}".utf8)
        let bytes = message + message
        for end in 0...bytes.count {
            let found = frames([Array(bytes[..<end])])
            #expect(found.count { $0 == .text("{}") } == end / message.count)
            #expect(found.count { $0.isFailure } == (end % message.count == 0 ? 0 : 1), "at \(end)")
        }
    }

    @Test func `the end of the input ends a line`() {
        let bytes = Array("{\"a\":1}\n{\"b\":2}".utf8)
        for end in 1...bytes.count {
            let lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).map { SeenFrame.message(Array($0)) }
            #expect(frames([Array(bytes[..<end])]) == [.detected(.lines)] + lines)
        }
    }

    @Test(arguments: ["{}\n[]\n{}\n", "Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}Content-Length: 0\r\n\r\n"])
    func `frames that aren't wanted now are kept for the next call`(text: String) {
        var decoder = FrameDecoder()
        var seen: [SeenFrame] = []
        func decodeOne(_ bytes: [UInt8]) {
            bytes.withUnsafeBytes { bytes in
                decoder.decode(bytes) {
                    seen.append(SeenFrame($0))
                    return false
                }
            }
        }
        decodeOne(Array(text.utf8))
        for count in 1...5 {
            #expect(seen.count == min(count, 4))
            decodeOne([])
        }
        #expect(seen == frames(text))
    }

    @Test func `nothing comes after the end`() {
        var decoder = FrameDecoder()
        var seen: [SeenFrame] = []
        decoder.finish { seen.append(SeenFrame($0)) }
        Array("{}\n".utf8).withUnsafeBytes { bytes in
            decoder.decode(bytes) {
                seen.append(SeenFrame($0))
                return true
            }
        }
        decoder.finish { seen.append(SeenFrame($0)) }
        #expect(seen.isEmpty)
    }

    @Test func `a message with headers is taken up to its limit and no longer`() {
        let limits = FrameDecoder.Limits(messageBytes: 10)
        let body = String(repeating: "x", count: 10)
        #expect(frames("Content-Length: 10\r\n\r\n\(body)", limits: limits) == [.detected(.headers), .text(body)])
        #expect(frames("Content-Length: 11\r\n\r\n\(body)x", limits: limits).last?.failureCode == .limitExceeded)
    }

    @Test(arguments: ["\n", "\r\n", "\r", ""])
    func `a line is taken up to its limit and no longer, whatever ends it`(end: String) {
        let limits = FrameDecoder.Limits(messageBytes: 10)
        let line = "{" + String(repeating: "x", count: 9)
        for text in ["\(line)\(end)", "{}\n\(line)\(end)"] {
            #expect(frames(text, limits: limits).last == .text(line))
            #expect(frames(text.utf8.map { [$0] }, limits: limits).last == .text(line))
        }
        for text in ["\(line)x\(end)", "{}\n\(line)x\(end)"] {
            #expect(frames(text, limits: limits).last?.failureCode == .limitExceeded)
            #expect(frames(text.utf8.map { [$0] }, limits: limits).last?.failureCode == .limitExceeded)
        }
    }

    @Test func `a line that never ends is given up at its limit`() {
        let limits = FrameDecoder.Limits(messageBytes: 10)
        #expect(frames("{xxxxxxxxxx", limits: limits, finishing: false).last?.failureCode == .limitExceeded)
    }

    @Test func `a header block is taken up to its limit and no longer`() {
        let block = "Content-Length: 2\r\nX: y\r\n\r\n"
        for count in [block.utf8.count, block.utf8.count + 100] {
            let limits = FrameDecoder.Limits(headerBytes: count)
            #expect(frames(block + "{}" + block + "{}", limits: limits).count { $0 == .text("{}") } == 2)
        }
        let limits = FrameDecoder.Limits(headerBytes: block.utf8.count - 1)
        #expect(frames(block + "{}", limits: limits).last?.failureCode == .limitExceeded)
        #expect(frames(block.utf8.map { [$0] }, limits: limits).last?.failureCode == .limitExceeded)
    }

    @Test(arguments: 0..<40)
    func `garbage never traps, ends in frames or one failure, and is the same in every split`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        let limits = FrameDecoder.Limits(messageBytes: 50, headerBytes: 60)
        for _ in 0..<100 {
            let start: [UInt8] =
                [[], Array("{".utf8), Array("Content-Length: ".utf8)].randomElement(using: &generator) ?? []
            let count = Int.random(in: 0..<200, using: &generator)
            let alphabet = Array("{}[]\"\\:,\r\n 0123456789Content-Length: ".utf8) + [0, 0xFF, 0x80, 0xC3]
            check(start + (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }, limits, &generator)
        }
    }

    @Test(arguments: 0..<40)
    func `a broken conversation never traps, ends in frames or one failure, and is the same in every split`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        for (text, _) in Self.conversations {
            for _ in 0..<5 { check(Array(text.utf8).mutated(using: &generator), limits, &generator) }
        }
    }

    private func check(_ bytes: [UInt8], _ limits: FrameDecoder.Limits, _ generator: inout SeededGenerator) {
        let whole = frames([bytes], limits: limits)
        #expect(whole.count { $0.isFailure } <= 1)
        #expect(whole.dropLast().allSatisfy { !$0.isFailure })
        #expect(frames(bytes.pieces(using: &generator), limits: limits) == whole, "\(bytes)")
    }
}
