import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct HeaderBlockTests {
    @Test(arguments: [
        ("Content-Length: 5", 5), ("content-length:5", 5), ("CONTENT-LENGTH:  \t 5 \t", 5), ("Content-Length: 007", 7),
        ("Content-Length: 0", 0), ("Content-Length: 9223372036854775807", Int.max),
        ("Content-Length: 9223372036854775808", Int.max), ("Content-Length: 99999999999999999999999999", Int.max),
        ("Content-Length: " + String(repeating: "0", count: 300) + "5", 5),
    ])
    func `a length is read`(line: String, expected: Int) throws {
        var block = HeaderBlock()
        try block.take(Array(line.utf8))
        #expect(block.contentLength == expected)
    }

    @Test(arguments: [
        "Content-Length: -5", "Content-Length: +5", "Content-Length:", "Content-Length:  ", "Content-Length: 5 6",
        "Content-Length: 0x5", "Content-Length: 5.0", "Content-Length: 5,5", "Content-Length: five",
        "Content-Length: ５", "Content-Length: 5\u{0}", "Content-Length: 1e3",
    ])
    func `a value that is no length is an error that quotes it`(line: String) {
        var block = HeaderBlock()
        let error = #expect(throws: RPCError.self) { try block.take(Array(line.utf8)) }
        #expect(error?.code == .parseError)
        #expect(error?.message.hasPrefix("Content-Length must be a number of bytes, not \"") == true)
    }

    @Test func `a second length is an error, also the same one`() throws {
        var block = HeaderBlock()
        try block.take(Array("Content-Length: 5".utf8))
        #expect(throws: RPCError(.parseError, "more than one Content-Length header")) {
            try block.take(Array("content-length: 5".utf8))
        }
    }

    @Test(arguments: [
        "COPY /a:b HTTP/1.1", "CONNECT a:1 HTTP/1.1", "Content-Length : 5", " Content-Length: 5", ": 5", "a\u{0}b: 5",
        "ä: 5",
    ])
    func `a line that a browser may be made to send is no header`(line: String) {
        var block = HeaderBlock()
        let error = #expect(throws: RPCError.self) { try block.take(Array(line.utf8)) }
        #expect(error?.code == .parseError)
    }

    @Test func `a line without a colon is an error`() {
        var block = HeaderBlock()
        #expect(throws: RPCError.self) { try block.take(Array("Content-Length 5".utf8)) }
    }

    @Test(arguments: ["X-Other: 1", "Content-Lengthy: 5", "Cookie:", "A: b: c"])
    func `an unknown header is skipped`(line: String) throws {
        var block = HeaderBlock()
        try block.take(Array(line.utf8))
        #expect(block.contentLength == nil)
        #expect(block.unsupportedCharset == nil)
    }

    @Test(arguments: [
        "Content-Type: application/vscode-jsonrpc; charset=utf-8", "content-type: a/b;charset=UTF8",
        "Content-Type: a/b; charset=\"utf-8\"", "Content-Type: a/b; CHARSET = utf-8", "Content-Type: a/b",
        "Content-Type: a/b; other=latin-1", "Content-Type:", "Content-Type: a/b; charset", "Content-Type: ;;;",
    ])
    func `UTF-8 may be named`(line: String) throws {
        var block = HeaderBlock()
        try block.take(Array(line.utf8))
        #expect(block.unsupportedCharset == nil)
    }

    @Test(arguments: [
        ("Content-Type: a/b; charset=latin-1", "latin-1"), ("Content-Type: a/b; x=y; charset=\"UTF-16\"", "UTF-16"),
        ("Content-Type: a/b; x=" + String(repeating: "y", count: 300) + "; charset=ascii", "ascii"),
    ])
    func `another charset is noted as written`(line: String, charset: String) throws {
        var block = HeaderBlock()
        try block.take(Array(line.utf8))
        #expect(block.unsupportedCharset == charset)
    }
}

@Suite(.inTurn) struct PlainHeaderBlockTests {
    @Test(arguments: [
        ("Content-Length: 5\r\n\r\n", 5), ("Content-Length: 0\r\n\r\n", 0), ("Content-Length: 007\r\n\r\n", 7),
        ("Content-Length: 12345678\r\n\r\n{}", 12_345_678),
        ("Content-Length: 999999999999999999\r\n\r\n", 999_999_999_999_999_999),
    ])
    func `a block with nothing but the length is taken`(text: String, length: Int) throws {
        let block = try #require(plain(text))
        #expect(block.contentLength == length)
        #expect(
            text.hasPrefix("Content-Length: ") && text.utf8.dropFirst(block.byteCount - 4).starts(with: "\r\n\r\n".utf8)
        )
        #expect(general(text) == length)
    }

    @Test(arguments: [
        "", "Content-Length: ", "Content-Length: 5", "Content-Length: 5\r\n\r", "content-length: 5\r\n\r\n",
        "Content-Length:5\r\n\r\n", "Content-Length:  5\r\n\r\n", "Content-Length: 5 \r\n\r\n",
        "Content-Length: 5\n\n{}",
        "Content-Length: \r\n\r\n", "Content-Length: -5\r\n\r\n", "Content-Length: 5\r\nX: y\r\n\r\n",
        "X: y\r\nContent-Length: 5\r\n\r\n", "Content-Lengths: 5\r\n\r\n", "Xontent-Length: 5\r\n\r\n",
        "Content-LengtX: 5\r\n\r\n", "Content-Length: 1000000000000000000\r\n\r\n",
    ])
    func `any other is left to the general reader`(text: String) {
        #expect(plain(text) == nil)
    }

    @Test(arguments: 0..<20)
    func `a block that it takes has the same length for the general reader`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var taken = 0
        for _ in 0..<500 {
            let length = Int.random(in: 0...1_000_000, using: &generator)
            let bytes = Array("Content-Length: \(length)\r\n\r\n".utf8).mutated(using: &generator)
            guard let block = bytes.withUnsafeBytes({ PlainHeaderBlock($0) }) else { continue }
            taken += 1
            #expect(general(String(decoding: bytes.prefix(block.byteCount), as: UTF8.self)) == block.contentLength)
        }
        #expect(taken > 0)
    }

    private func plain(_ text: String) -> PlainHeaderBlock? {
        Array(text.utf8).withUnsafeBytes { PlainHeaderBlock($0) }
    }

    /// The length in the one line of a block.
    private func general(_ text: String) -> Int? {
        var block = HeaderBlock()
        guard let line = text.utf8.split(separator: UInt8(ascii: "\r")).first, (try? block.take(Array(line))) != nil
        else {
            return nil
        }
        return block.contentLength
    }
}
