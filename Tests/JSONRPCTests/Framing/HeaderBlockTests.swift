import Testing

@testable import JSONRPC

@Suite struct HeaderBlockTests {
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
    func `what is no length is an error that quotes it`(line: String) {
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
    func `what a browser may be made to send is no header`(line: String) {
        var block = HeaderBlock()
        let error = #expect(throws: RPCError.self) { try block.take(Array(line.utf8)) }
        #expect(error?.code == .parseError)
    }

    @Test func `a line without a colon is an error`() {
        var block = HeaderBlock()
        #expect(throws: RPCError.self) { try block.take(Array("Content-Length 5".utf8)) }
    }

    @Test(arguments: ["X-Other: 1", "Content-Lengthy: 5", "Content-Length : 5", ": 5", "Cookie:", "A: b: c"])
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
