import Testing
import Transcripts

struct TranscriptRecorderTests {
    private static let question = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"text":"é"}}"#
    private static let answer =
        #"{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"peer","version":"2"},"protocolVersion":"1.1"}}"#
    /// As it is recorded: another release of the peer may answer so, too.
    private static let looseAnswer = answer.replacing(
        #""version":"2""#, with: #""version":{"$match":"string","value":"2"}"#)
    private static let news = #"{"jsonrpc":"2.0","method":"news"}"#

    private static func line(_ from: String, _ member: String, at: Int = 0, connection: Int = 1) -> String {
        #"{"from":"\#(from)","connection":\#(connection),"at":\#(at),\#(member)}"# + "\n"
    }

    private static func message(_ from: String, _ message: String, at: Int = 0, connection: Int = 1) -> String {
        line(from, #""message":\#(message)"#, at: at, connection: connection)
    }

    private static func header(_ members: String = #","server":"peer 2","protocolVersion":"1.1""#) -> String {
        #"{"transcript":1,"title":"story"\#(members)}"# + "\n"
    }

    private func recorder(redacts: Bool = false) -> TranscriptRecorder {
        TranscriptRecorder(header: TranscriptHeader(title: "story", server: "cat"), redacts: redacts)
    }

    @Test func `the same bytes give the same transcript, however they were cut`() {
        let client = Array("Content-Length: \(Self.question.utf8.count)\r\n\r\n\(Self.question)".utf8)
        let server = Array((Self.answer + "\r\n" + Self.news).utf8)
        let expected =
            Self.header() + Self.message("client", Self.question, at: 5) + Self.line("client", #""end":true"#, at: 6)
            + Self.message("server", Self.looseAnswer, at: 7) + Self.message("server", Self.news, at: 8)
            + Self.line("server", #""end":true"#, at: 8)
        for size in [1, 2, 3, 7, 64, 1_000] {
            var recorder = recorder()
            recorder.pass(client, from: .client, at: 5, in: size)
            recorder.end(.client, on: 1, at: 6)
            recorder.pass(server, from: .server, at: 7, in: size)
            recorder.end(.server, on: 1, at: 8)
            recorder.end(.server, on: 1, at: 9)
            recorder.close(1, at: 9)
            recorder.finish(at: 9)
            #expect(recorder.text() == expected)
        }
    }

    @Test(arguments: [
        // Messages before the first answer don't name the server.
        (answer, true, #","server":"peer 2","protocolVersion":"1.1""#),
        (#"[{"id":2,"error":{}},\#(answer)]"#, true, #","server":"peer 2","protocolVersion":"1.1""#),
        (#"{"id":1,"result":{"serverInfo":{"name":"peer"}}}"#, true, #","server":"peer""#),
        (#"{"id":1,"result":null}"#, true, #","server":"cat""#),
        (#"{"id":1,"error":{"code":1}}"#, true, #","server":"cat""#),
        (news, false, ""),
        ("plain words", false, ""),
    ])
    func `the header waits for the server's first answer`(_ line: String, _ isAnswer: Bool, _ members: String) {
        var recorder = recorder()
        recorder.pass(Array("\(Self.question)\n".utf8), from: .client)
        recorder.pass(Array("\(Self.news)\n".utf8), from: .server)
        #expect(recorder.text() == "")
        recorder.pass(Array("\(line)\n".utf8), from: .server)
        let text = recorder.text()
        #expect(text.hasPrefix(Self.header(members) + Self.message("client", Self.question)) == isAnswer)
        #expect(text.isEmpty == !isAnswer)
    }

    @Test func `the version of a server and its lists of view models are recorded as matchers, and nothing else is`() {
        let info = #"{"protocolVersion":"1.1","serverInfo":{"version":"2","name":"peer"},"capabilities":"#
        let names = #""viewModels":[{"name":"a"}],"children":[{"name":"b","type":"M.B"}]"#
        let answer = #"{"jsonrpc":"2.0","id":1,"result":\#(info){"resume":true,\#(names)}}}"#
        var recorder = recorder()
        recorder.pass(Array("\(answer)\n\(answer)\n".utf8), from: .server)
        let version = #"{"$match":"string","value":"2"}"#
        let list = #"{"$match":"array","value":[{"name":"a"}]}"#
        let children = #"{"$match":"array","value":[{"name":"b","type":"M.B"}]}"#
        let loose = answer.replacing(#""2","name""#, with: "\(version),\"name\"")
            .replacing(#"[{"name":"a"}]"#, with: list).replacing(#"[{"name":"b","type":"M.B"}]"#, with: children)
        #expect(recorder.text().hasSuffix(Self.message("server", loose) + Self.message("server", loose)))

        // A client's message, and an answer that only looks alike.
        for (side, text) in [("client", answer), ("server", answer.replacing("serverInfo", with: "info"))] {
            var recorder = self.recorder()
            recorder.pass(Array("\(text)\n".utf8), from: side == "client" ? .client : .server)
            recorder.finish(at: 0)
            #expect(recorder.text().hasSuffix(Self.message(side, text)))
        }
    }

    @Test func `the header waits no longer than the limits and the end`() {
        var many = recorder()
        many.pass(Array("{}\n".utf8), from: .client, times: TranscriptRecorder.heldLines - 1)
        #expect(many.text() == "")
        many.pass(Array("{}\n".utf8), from: .client)
        #expect(many.text().hasPrefix(Self.header(#","server":"cat""#)))

        var large = recorder()
        let text = String(repeating: "x", count: TranscriptRecorder.heldBytes / 2)
        let half = Array("{\"text\":\"\(text)\"}\n".utf8)
        large.pass(half, from: .client)
        #expect(large.text() == "")
        large.pass(half, from: .client)
        #expect(large.text().hasPrefix(Self.header(#","server":"cat""#)))

        var empty = recorder()
        empty.finish(at: 0)
        #expect(empty.text() == Self.header(#","server":"cat""#))
    }

    @Test func `incomplete content is written when its connection closes`() {
        var recorder = recorder()
        recorder.pass(Array("Content-Length: 9\r\n\r\n{".utf8), from: .client, on: 1)
        recorder.pass(Array(#"{"cut":"#.utf8), from: .server, on: 2)
        recorder.pass(Array(#"{"last":1}"#.utf8), from: .client, on: 3)
        recorder.close(2, at: 1)
        recorder.finish(at: 2)
        #expect(
            recorder.text() == Self.header(#","server":"cat""#)
                + Self.line("server", #""text":"{\"cut\":""#, at: 1, connection: 2)
                + Self.line("client", #""unframed":"Content-Length: 9\r\n\r\n{""#, at: 2)
                + Self.message("client", #"{"last":1}"#, at: 2, connection: 3))
    }

    @Test func `where a recording was cut, incomplete content is left out`() {
        var recorder = recorder()
        recorder.pass(Array(#"{"cut":"#.utf8), from: .client)
        recorder.finish(at: 1, keepsIncomplete: false)
        #expect(recorder.text() == Self.header(#","server":"cat""#))
    }

    @Test func `bytes without framing are recorded as they are`() {
        var recorder = recorder()
        recorder.pass(Array("GET / HTTP/1.1\r\n".utf8), from: .client)
        recorder.end(.client, on: 1, at: 0)
        recorder.finish(at: 0)
        #expect(
            recorder.text() == Self.header(#","server":"cat""#)
                + Self.line("client", #""unframed":"GET / HTTP/1.1\r\n""#) + Self.line("client", #""end":true"#))
    }

    @Test func `a redacted transcript shows neither keys nor content that isn't JSON`() {
        var recorder = recorder(redacts: true)
        recorder.pass(Array(#"{"id":1,"method":"m","params":{"token":"t","key":"k"}}"#.utf8 + [10]), from: .client)
        recorder.pass(Array("secret\n".utf8), from: .client)
        recorder.pass(Array("secret\r\n".utf8), from: .server)
        recorder.finish(at: 0)
        #expect(
            recorder.text() == Self.header(#","server":"cat""#)
                + Self.message("client", #"{"id":1,"method":"m","params":{"token":"[redacted]","key":"key-1"}}"#)
                + Self.line("client", #""text":"[redacted]""#) + Self.line("server", #""unframed":"[redacted]""#))
    }
}

extension TranscriptRecorder {
    fileprivate mutating func pass(
        _ bytes: [UInt8], from side: TranscriptSide, on connection: Int = 1, at: Int = 0, in size: Int = .max
    ) {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest.prefix(size).withUnsafeBytes { pass($0, from: side, on: connection, at: at) }
            rest = rest.dropFirst(size)
        }
    }

    fileprivate mutating func pass(_ bytes: [UInt8], from side: TranscriptSide, times: Int) {
        for _ in 0..<times { pass(bytes, from: side) }
    }

    fileprivate mutating func text() -> String { String(decoding: takeOutput(), as: UTF8.self) }
}
