import JSON
import JSONRPC
import Testing
import TestSupport

@Suite(.inTurn) struct PeerTests {
    private let peer = RecordingPeer(
        frames: FrameDecoder.Limits(messageBytes: 1_000, headerBytes: 100),
        messages: MessageDecoder(maximumBatchCount: 4, maximumDepth: 8, dialect: .test))

    private func request(_ id: String, _ method: String = "m") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#
    }

    @Test func `the framing is what the first byte chose`() {
        #expect(peer.framing == nil)
        peer.receive(" ")
        #expect(peer.framing == nil)
        peer.receive("C")
        #expect(peer.framing == .headers)
    }

    @Test func `a request is answered once, with its id as it was written`() {
        peer.receive(request(#""\u0041""#) + "\n")
        #expect(peer.steps == [#"request "\u0041" m -"#])
        #expect(!peer.hasAnsweredAll)
        #expect(peer.isInFlight(peer.calls[0].id))
        peer.answer(peer.calls[0]) { $0.integer(1) }
        peer.answer(peer.calls[0]) { $0.integer(2) }
        peer.answer(peer.calls[0], error: RPCError(.internalError, ""))
        #expect(peer.sent == [#"{"jsonrpc":"2.0","id":"\u0041","result":1}"#])
        #expect(peer.hasAnsweredAll)
    }

    @Test func `an error answers as well`() {
        peer.receive(request("1") + "\n")
        peer.answer(peer.calls[0], error: RPCError(.methodNotFound, "no m"))
        #expect(peer.sent == [#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no m"}}"#])
        #expect(peer.hasAnsweredAll)
    }

    @Test func `requests may be answered in any order, also from inside`() {
        peer.onRequest = { peer, call in if call.id == RequestID(2) { peer.answerNull(call) } }
        peer.receive(request("1") + "\n" + request("2") + "\n" + request("3") + "\n")
        peer.answerNull(peer.calls[2])
        peer.answerNull(peer.calls[0])
        #expect(peer.sent == ["2", "3", "1"].map { #"{"jsonrpc":"2.0","id":\#($0),"result":null}"# })
    }

    @Test func `an id in flight can't be taken again, and the first call is still answered`() {
        peer.receive(request(#""A""#) + "\n" + request(#""\u0041""#, "other") + "\n")
        #expect(peer.calls.count == 1)
        #expect(
            peer.sent == [
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"#
                    + #""the id \"\\u0041\" is in flight already; use another for each request"}}"#
            ])
        peer.answerNull(peer.calls[0])
        #expect(peer.sent.last == #"{"jsonrpc":"2.0","id":"A","result":null}"#)
    }

    @Test func `an id that was answered may be taken again`() {
        peer.onRequest = { $0.answerNull($1) }
        peer.receive(request("1") + "\n" + request("1") + "\n")
        #expect(peer.sent.count == 2)
    }

    @Test func `a broken request whose id is in flight doesn't complete that call`() {
        peer.receive(request("1") + "\n" + #"{"id":1,"method":"m"}"# + "\n" + #"{"id":2,"method":"m"}"# + "\n")
        #expect(
            peer.sent.map { $0.prefix(25) }
                == [#"{"jsonrpc":"2.0","id":null"#, #"{"jsonrpc":"2.0","id":2,"e"#].map { $0.prefix(25) })
        #expect(peer.isInFlight(RequestID(1)))
    }

    @Test func `a notification is owed nothing`() {
        peer.receive(#"{"jsonrpc":"2.0","method":"n","params":{"a":1}}"# + "\n")
        #expect(peer.steps == [#"notification n {"a":1}"#])
        #expect(peer.sent.isEmpty)
        #expect(peer.hasAnsweredAll)
    }

    @Test func `Vim's cancellation names the call and is owed nothing`() {
        peer.receive(request("1") + "\n" + request("1", "$/cancelRequest") + "\n")
        #expect(peer.steps == ["request 1 m -", "cancellation 1"])
        #expect(peer.sent.isEmpty)
        #expect(peer.isInFlight(RequestID(1)))
    }

    @Test func `a side that asks numbers its requests from 1, and is told what each was answered with, once`() {
        let peer = RecordingPeer()
        #expect(peer.ask("a") == RequestID(1))
        #expect(peer.ask("b") == RequestID(2))
        #expect(
            peer.sent == [
                #"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"b","params":{"x":1}}"#,
            ])
        peer.receive(#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}"# + "\n")
        peer.receive(#"{"jsonrpc":"2.0","id":1.0,"result":{"y":[2]}}"# + "\n")
        peer.receive(#"{"jsonrpc":"2.0","id":1,"result":null}"# + "\n")
        #expect(
            peer.steps == [
                #"error to 2 {"code":1,"message":"no"}"#, #"result to 1.0 {"y":[2]}"#,
                "ignored: a response (1) to nothing that was asked",
            ])
    }

    @Test(arguments: [
        (#""result":1,"error":null"#, "result to 1 1"), (#""error":null,"result":1"#, "result to 1 1"),
        (#""result":1,"error":{}"#, "error to 1 {}"), (#""error":{},"result":1"#, "error to 1 {}"),
        (#""error":null"#, "error to 1 null"), (#""result":null"#, "result to 1 null"),
    ])
    func `a response with a result and an error has failed, unless the error is null`(members: String, step: String) {
        let peer = RecordingPeer()
        _ = peer.ask("a")
        peer.receive(#"{"jsonrpc":"2.0","id":1,\#(members)}"# + "\n")
        #expect(peer.steps == [step])
    }

    @Test func `a response to nothing is ignored and told`() {
        peer.receive(#"{"jsonrpc":"2.0","id":1,"result":1}"# + "\n" + #"{"result":1}"# + "\n")
        #expect(
            peer.steps == [
                "ignored: a response (1) to nothing that was asked",
                "ignored: a response (no id) to nothing that was asked",
            ])
        #expect(peer.sent.isEmpty)
    }

    @Test func `a message that is not JSON is answered with id null, and the next one is read`() {
        peer.onRequest = { $0.answerNull($1) }
        peer.receive("{\n[}\n" + request("1") + "\n")
        #expect(peer.sent.count == 3)
        #expect(
            peer.sent[0].hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not valid JSON: "#)
        )
        #expect(peer.sent[1].hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700"#))
        #expect(peer.sent[2] == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
        #expect(!peer.hasLostFraming)
    }

    @Test func `a charset that isn't UTF-8 is answered with id null and the next message is read`() {
        peer.onRequest = { $0.answerNull($1) }
        let body = request("1")
        peer.receive("Content-Type: a; charset=ascii\r\nContent-Length: 2\r\n\r\n{}")
        peer.receive("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(peer.sent.count == 2)
        #expect(peer.sent[0].hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700"#))
        #expect(!peer.hasLostFraming)
    }

    @Test(arguments: [
        ("x", "-32700"), ("Content-Length: x\r\n\r\n", "-32700"), ("Content-Length: 1001\r\n\r\n", "-32015"),
        ("C" + String(repeating: "x", count: 200), "-32015"), ("{" + String(repeating: "x", count: 1_000), "-32015"),
    ])
    func `a framing error is answered with id null, and then the framing is lost`(text: String, code: String) {
        peer.receive(text)
        peer.receive("\r\n\r\nContent-Length: 2\r\n\r\n{}\n{}\n")
        peer.receiveEnd()
        #expect(peer.sent.count == 1)
        #expect(peer.sent[0].hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":\#(code),"#))
        #expect(peer.steps.count { $0 == "lost framing" } == 1)
        #expect(peer.steps.last == "lost framing")
    }

    @Test func `the end of the input ends the last line`() {
        peer.receive(request("1"))
        #expect(peer.calls.isEmpty)
        peer.receiveEnd()
        #expect(peer.steps == ["request 1 m -"])
    }

    @Test func `a batch is answered as one array when all is ready`() {
        peer.receive("[\(request("1")),\(request("2")),{\"jsonrpc\":\"2.0\",\"method\":\"n\"},3]\n")
        let batch = peer.calls[0].batch
        #expect(batch != nil)
        #expect(peer.calls[1].batch == batch)
        #expect(peer.sent.isEmpty)
        peer.answerNull(peer.calls[1])
        #expect(batch.map(peer.isCollecting) == true)
        #expect(peer.sent.isEmpty)
        peer.answerNull(peer.calls[0])
        #expect(
            peer.sent == [
                #"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a JSON-RPC 2.0 message: "#
                    .replacing("not a JSON-RPC 2.0 message: ", with: "")
                    + #"a message is an object, not a number"}},{"jsonrpc":"2.0","id":2,"result":null},"#
                    + #"{"jsonrpc":"2.0","id":1,"result":null}]"#
            ])
        #expect(batch.map(peer.isCollecting) == false)
        #expect(peer.steps.last == batch.map { "batch \($0) sent" })
    }

    @Test func `a batch that is answered from inside is sent once`() {
        peer.onRequest = { $0.answerNull($1) }
        peer.receive("[\(request("1")),\(request("2"))]\n[\(request("3"))]\n")
        #expect(
            peer.sent == [
                #"[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":2,"result":null}]"#,
                #"[{"jsonrpc":"2.0","id":3,"result":null}]"#,
            ])
    }

    @Test func `a batch of notifications, responses and cancellations is owed nothing`() {
        peer.receive(
            #"[{"jsonrpc":"2.0","method":"n"},{"id":1,"result":1},{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest"}]"#
                + "\n")
        #expect(peer.steps.count == 3)
        #expect(peer.sent.isEmpty)
    }

    @Test func `an id that a batch has twice is refused the second time`() {
        peer.onRequest = { peer, call in }
        peer.receive("[\(request("1")),\(request("1"))]\n")
        #expect(peer.calls.count == 1)
        peer.answerNull(peer.calls[0])
        #expect(peer.sent.count == 1)
        #expect(peer.sent[0].hasPrefix(#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600"#))
        #expect(peer.sent[0].hasSuffix(#"{"jsonrpc":"2.0","id":1,"result":null}]"#))
    }

    @Test(arguments: [("[]", "-32600"), ("[1,2,3,4,5]", "-32015")])
    func `an empty or too long batch is one error and no array`(text: String, code: String) {
        peer.receive(text + "\n")
        #expect(peer.sent.count == 1)
        #expect(peer.sent[0].hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":\#(code),"#))
    }

    @Test func `all that is owed can be answered with one error`() {
        peer.receive(request("1") + "\n[\(request("2")),\(request("3"))]\n")
        peer.answerNull(peer.calls[1])
        peer.answerAll(error: RPCError(.internalError, "gone"))
        #expect(peer.hasAnsweredAll)
        let error = #""error":{"code":-32603,"message":"gone"}}"#
        #expect(
            Set(peer.sent) == [
                #"{"jsonrpc":"2.0","id":1,\#(error)"#,
                #"[{"jsonrpc":"2.0","id":2,"result":null},{"jsonrpc":"2.0","id":3,\#(error)]"#,
            ])
        for call in peer.calls { peer.answerNull(call) }
        #expect(peer.sent.count == 2)
    }

    @Test func `a batch whose answers grow longer than a message refuses the rest of it`() {
        let peer = RecordingPeer(frames: .init(messageBytes: 200))
        peer.onRequest = { peer, call in
            peer.answer(call) { $0.string(String(repeating: "x", count: 150)) }
        }
        let ping = { (id: Int) in #"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"# }
        peer.receive("[\(ping(1)),\(ping(2)),\(ping(3))]\n")
        #expect(peer.calls.map(\.id) == [RequestID(1), RequestID(2)])
        #expect(peer.sent.count == 1)
        #expect(peer.sent.first?.contains(#""id":3,"error":{"code":-32015,"#) == true)
        #expect(peer.hasAnsweredAll)
        peer.receive("[\(ping(3))]\n")
        #expect(peer.calls.count == 3, "the next batch has the room again")
    }

    @Test func `a notification goes out as it is, also between the answers of a batch`() {
        peer.receive("[\(request("1"))]\n")
        peer.notify("n") { params in
            params.key("a")
            params.integer(1)
        }
        #expect(peer.sent == [#"{"jsonrpc":"2.0","method":"n","params":{"a":1}}"#])
    }

    @Test func `the work that an answer waits for is known until it is given`() {
        let worker = RecordingWorker()
        peer.receive(request("1") + "\n" + request("2") + "\n" + request("3") + "\n")
        peer.note(PendingWork(worker, 10, outlivesConnection: false), for: peer.calls[0])
        peer.note(PendingWork(worker, 20, outlivesConnection: true), for: peer.calls[1])
        #expect(peer.work(for: RequestID(3)) == nil && peer.work(for: RequestID(4)) == nil)
        peer.work(for: RequestID(2))?.cancel()
        #expect(worker.cancelled == [20])
        #expect(peer.pendingWork.map(\.outlivesConnection) == [false, true])
        peer.answerNull(peer.calls[1])
        #expect(peer.work(for: RequestID(2)) == nil)
        peer.note(PendingWork(worker, 30, outlivesConnection: false), for: peer.calls[1])
        #expect(peer.work(for: RequestID(2)) == nil, "it was answered before")
        for work in peer.pendingWork { work.cancel() }
        #expect(worker.cancelled == [20, 10])
    }

    private final class RecordingWorker: PendingWork.Worker {
        private(set) var cancelled: [Int] = []

        func cancel(_ number: Int) {
            cancelled.append(number)
        }
    }

    @Test(arguments: 0..<60)
    func `broken conversations never trap, and whatever is sent is valid`(seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let lines = "\(request("1"))\n[\(request("2")),\(request("\"x\""))]\n{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n"
        let headers = [request("1"), "[\(request("2")),3]", "{}"].map {
            "Content-Length: \($0.utf8.count)\r\n\r\n\($0)"
        }
        for conversation in [lines, headers.joined()] {
            let peer = RecordingPeer()
            peer.onRequest = { $0.answerNull($1) }
            let bytes = Array(conversation.utf8).mutated(using: &generator)
            for piece in bytes.pieces(using: &generator) { peer.receive(piece) }
            peer.receiveEnd()
            #expect(peer.hasAnsweredAll)
            #expect(peer.steps.count { $0 == "lost framing" } <= 1)
            for message in peer.sent {
                #expect(throws: Never.self) { try withJSON(message) { _ in } }
                #expect(!message.contains("\n"))
            }
        }
    }

    @Test(arguments: ["\n", ""])
    func `messages that came while it yields count as kept until the last one is taken`(lineEnd: String) {
        let texts = ["1", "2", "3"].map { request($0) }
        peer.onRequest = { peer, call in
            if call.id == RequestID(1) { peer.isYielding = true } else { #expect(peer.hasKept) }
            peer.answerNull(call)
        }
        let text = texts.map { lineEnd.isEmpty ? "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" : $0 + lineEnd }
        peer.receive(text.joined())
        #expect(peer.calls.count == 1 && peer.hasKept)
        peer.resume()
        #expect(peer.calls.count == 3 && !peer.hasKept)
    }

    @Test(arguments: 0..<60)
    func `a conversation, broken or not, is taken the same in every split`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        let texts = [request("1"), " " + request("2"), "[\(request("3")),4]", "", "  ", request("5", "long")]
        let lines = texts.flatMap { [$0, $0 + "\r"] }.joined(separator: "\n")
        let headers = texts.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
        for conversation in [lines, headers] {
            var bytes = Array(conversation.utf8)
            if seed > 0 { bytes = bytes.mutated(using: &generator) }
            let whole = taken([bytes])
            #expect(taken(bytes.map { [$0] }) == whole)
            #expect(taken(bytes.pieces(using: &generator)) == whole)
        }
    }

    private func taken(_ pieces: [[UInt8]]) -> [[String]] {
        let longest = request("5", "lon").utf8.count
        let peer = RecordingPeer(frames: FrameDecoder.Limits(messageBytes: longest, headerBytes: 40))
        peer.onRequest = { $0.answerNull($1) }
        for piece in pieces { peer.receive(piece) }
        peer.receiveEnd()
        return [peer.steps, peer.sent]
    }
}
