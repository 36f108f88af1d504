import JSON
import JSONRPC

/// A peer with an owner that writes down what it is told, in words, and answers if told to.
final class RecordingPeer {
    private let peer: Peer
    private(set) var steps: [String] = []
    private(set) var sent: [String] = []
    private(set) var calls: [Call] = []
    private(set) var hasLostFraming = false
    /// Called for each request, inside `receive`.
    var onRequest: (RecordingPeer, Call) -> Void = { _, _ in }

    init(frames: FrameDecoder.Limits = .init(), messages: MessageDecoder = MessageDecoder(dialect: .test)) {
        peer = Peer(frames: frames, messages: messages)
    }

    var framing: Framing? { peer.framing }
    var hasAnsweredAll: Bool { peer.hasAnsweredAll }
    var hasKept: Bool { peer.hasKept }

    var isYielding: Bool {
        get { peer.isYielding }
        set { peer.isYielding = newValue }
    }

    func resume() {
        peer.resume(for: self)
    }

    func isInFlight(_ id: RequestID) -> Bool { peer.isInFlight(id) }

    func isCollecting(_ batch: Int) -> Bool { peer.isCollecting(batch) }

    func receive(_ text: String) {
        receive(Array(text.utf8))
    }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { peer.receive($0, for: self) }
    }

    func receiveEnd() {
        peer.receiveEnd(for: self)
    }

    func answer(_ call: Call, result: (inout JSONWriter) -> Void) {
        peer.answer(call, for: self, result: result)
    }

    func answer(_ call: Call, error: RPCError) {
        peer.answer(call, for: self, error: error)
    }

    func answerNull(_ call: Call) {
        answer(call) { $0.null() }
    }

    func answerAll(error: RPCError) {
        peer.answerAll(for: self, error: error)
    }

    func notify(_ method: StaticString, params: (inout JSONWriter) -> Void) {
        peer.notify(method, for: self, params: params)
    }

    /// Asks with one parameter.
    func ask(_ method: StaticString) -> RequestID {
        peer.ask(method, for: self) { params in
            params.key("x")
            params.integer(1)
        }
    }

    func note(_ work: PendingWork, for call: Call) {
        peer.note(work, for: call)
    }

    func work(for id: RequestID) -> PendingWork? { peer.work(for: id) }

    var pendingWork: [PendingWork] { peer.pendingWork }
}

extension RecordingPeer: PeerHandler {
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call) {
        steps.append("request \(call.id) \(method) \(params?.string ?? "-")")
        calls.append(call)
        onRequest(self, call)
    }

    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?) {
        steps.append("notification \(method) \(params?.string ?? "-")")
    }

    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID) {
        steps.append("cancellation \(id)")
    }

    func peerDidSendBatch(_ peer: Peer, _ batch: Int) {
        steps.append("batch \(batch) sent")
    }

    func peer(_ peer: Peer, didReceive response: Response, to id: RequestID) {
        switch response {
        case .result(let value): steps.append("result to \(id) \(String(decoding: value.text, as: UTF8.self))")
        case .error(let value): steps.append("error to \(id) \(String(decoding: value.text, as: UTF8.self))")
        }
    }

    func peer(_ peer: Peer, didIgnore reason: String) {
        steps.append("ignored: \(reason)")
    }

    func peerDidLoseFraming(_ peer: Peer) {
        steps.append("lost framing")
        hasLostFraming = true
    }

    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer) {
        sent.append(String(decoding: message, as: UTF8.self))
    }
}
