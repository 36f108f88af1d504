import JSON
import TestSupport
import Transport

import Serving

/// A client that comes back each time its connection is lost, as one would be written by the protocol: it attaches by key
/// with the last number that it saw, and sends again what the server hasn't taken.
///
/// Confined to its loop. It cuts its connections itself, in either direction, after any byte.
final class CutClient: ByteStreamHandler {
    struct Plan {
        var name: String
        var key: String
        /// The view events that it has to send, numbered from 1.
        var events: Int
        var isReplaceable: Bool
        /// The number of the session's last event.
        var last: Int
        /// The longest that a connection lasts, in bytes.
        var receivedBytes: Int
        var sentBytes: Int
    }

    /// What it has seen when it has seen all.
    struct Outcome: Sendable {
        let name: String
        var cuts = 0
        /// Notifications.
        var seen = 0
        /// Of these, those that came after replaced ones.
        var jumps = 0
        /// View events that were sent again.
        var resent = 0
        /// The newest of each client's numbers that was told.
        var newest: [String: Int] = [:]
        var failure: String?
    }

    private let plan: Plan
    private let core: ServerCore
    private let loop: EventLoop
    private let done: (Outcome) -> Void
    private var generator: SeededGenerator

    private var outcome: Outcome
    private var seq = 0
    private var lastSent = 0
    private var highestSent = 0
    private var lastAnswered = 0

    private var stream: MemoryStream?
    private var bytes: [UInt8] = []
    private var receivableBytes = 0
    private var sendableBytes = 0
    private var isAttached = false

    init(
        _ plan: Plan, core: ServerCore, loop: EventLoop, seed: Int, done: @escaping (Outcome) -> Void
    ) {
        self.plan = plan
        self.core = core
        self.loop = loop
        self.done = done
        generator = SeededGenerator(seed: seed)
        outcome = Outcome(name: plan.name)
    }

    func connect() {
        let (near, far) = MemoryStream.pair(
            loop: loop, capacity: Int.random(in: 100...10_000, using: &generator),
            pieceBytes: generator.chance(20) ? Int.random(in: 1...200, using: &generator) : .max)
        stream = near
        bytes = []
        isAttached = false
        receivableBytes = Int.random(in: 0...plan.receivedBytes, using: &generator)
        sendableBytes = Int.random(in: 0...plan.sentBytes, using: &generator)
        near.handler = self
        near.start()
        core.serve(far)
        send(#"{"jsonrpc":"2.0","id":"i","method":"initialize"}"#)
        let params = #"{"key":"\#(plan.key)","since":\#(seq),"client":"\#(plan.name)"}"#
        send(Wire.request(#""a""#, "session/attach", params))
    }

    private func send(_ message: String) {
        guard let stream else { return }
        let line = Array("\(message)\n".utf8)
        let count = min(line.count, sendableBytes)
        sendableBytes -= count
        stream.write { $0.append(contentsOf: line.prefix(count)) }
        if count < line.count { cut() }
    }

    /// The connection is lost: at once, or only this side of it, so that the server still gets what was written.
    private func cut() {
        guard let stream else { return }
        self.stream = nil
        outcome.cuts += 1
        if generator.chance(50) { stream.close() } else { stream.finish() }
        loop.atEndOfTurn { self.connect() }
    }

    func stream(_ stream: any ByteStream, didRead received: UnsafeRawBufferPointer) {
        guard stream === self.stream else { return }
        let count = min(received.count, receivableBytes)
        receivableBytes -= count
        bytes.append(contentsOf: received.prefix(count))
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")), stream === self.stream {
            let line = Array(bytes[..<end])
            bytes.removeFirst(end + 1)
            take(line)
        }
        if count < received.count { cut() }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        if stream === self.stream { fail("the server ended the connection") }
    }

    func streamDidSend(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didClose error: SystemError?) {}

    private func take(_ line: [UInt8]) {
        guard let message = try? line.withUnsafeBytes({ try JSONValue(validating: $0) }) else {
            return fail("not JSON: \(String(decoding: line, as: UTF8.self))")
        }
        if let params = message.member("params") {
            // What an earlier connection has sent came late, and has taken the place of this one's view.
            if params.member("reason")?.isString("replaced") == true { return cut() }
            takeEvent(params)
        } else if message.member("error") != nil {
            fail("refused: \(String(decoding: line, as: UTF8.self))")
        } else if let result = message.member("result"), let id = message.member("id") {
            if id.string() == "a" {
                takeAttachment(result)
            } else if let number = id.integer(as: Int.self) {
                takeAnswer(number, result)
            }
        }
        finishIfDone()
    }

    private func takeAttachment(_ result: JSONValue) {
        guard let handled = result.member("handled")?.integer(as: Int.self), result.member("snapshot") == nil else {
            return fail("no replay")
        }
        guard handled >= lastAnswered, handled <= highestSent else {
            return fail("handled is \(handled), of \(lastAnswered) answered and \(highestSent) sent")
        }
        isAttached = true
        lastAnswered = handled
        // Now and then also what was taken already, as a client without `handled` would.
        let repeats = generator.chance(30) ? min(handled, 2) : 0
        lastSent = handled - repeats
        for _ in 0..<(repeats + Int.random(in: 1...4, using: &generator)) { sendNext() }
    }

    private func sendNext() {
        guard isAttached, lastSent < plan.events, stream != nil else { return }
        lastSent += 1
        if lastSent <= highestSent { outcome.resent += 1 }
        highestSent = max(highestSent, lastSent)
        let event =
            #"{"kind":"add","client":"\#(plan.name)","number":\#(lastSent),"isReplaceable":\#(plan.isReplaceable)}"#
        send(Wire.viewEvent("\(lastSent)", 1, event, #","number":\#(lastSent)"#))
    }

    private func takeAnswer(_ number: Int, _ result: JSONValue) {
        lastAnswered = max(lastAnswered, number)
        if !plan.isReplaceable, let newest = result.member("seq")?.integer(as: Int.self), newest > seq {
            return fail("\(number) was answered with \(newest), and \(seq) is all that came")
        }
        sendNext()
    }

    private func takeEvent(_ params: JSONValue) {
        guard let number = params.member("seq")?.integer(as: Int.self), let event = params.member("event"),
            let client = event.member("client")?.string(), let value = event.member("number")?.integer(as: Int.self)
        else { return fail("no event") }
        guard isAttached else { return fail("\(number) came before the answer") }
        let after = params.member("after")?.integer(as: Int.self)
        guard number > seq, (after ?? number - 1) == seq, after == nil || plan.isReplaceable else {
            return fail("\(number) (after \(after.map { "\($0)" } ?? "none")) came, and \(seq) was the last")
        }
        guard value > outcome.newest[client, default: 0] else { return fail("\(client) \(value) is older than before") }
        guard after != nil || plan.isReplaceable || value == outcome.newest[client, default: 0] + 1 else {
            return fail("\(client) \(value) came out of order")
        }
        outcome.newest[client] = value
        outcome.seen += 1
        if after != nil { outcome.jumps += 1 }
        seq = number
    }

    private func fail(_ reason: String) {
        outcome.failure = outcome.failure ?? "\(plan.name), after \(outcome.cuts) cuts: \(reason)"
        finishIfDone()
    }

    private func finishIfDone() {
        let isDone = seq == plan.last && lastAnswered == plan.events
        guard let stream, isDone || outcome.failure != nil else { return }
        self.stream = nil
        stream.close()
        done(outcome)
    }
}
