import JSON
import JSONRPC

/// Writes down what a peer tells its owner, in words, and answers if told to.
final class RecordingHandler: PeerHandler {
    private(set) var steps: [String] = []
    private(set) var sent: [String] = []
    private(set) var calls: [Call] = []
    private(set) var hasLostFraming = false
    /// Called for each request, inside `receive`.
    var onRequest: (Peer, Call) -> Void = { _, _ in }

    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call) {
        steps.append("request \(call.id) \(method) \(params?.string ?? "-")")
        calls.append(call)
        onRequest(peer, call)
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

extension Peer {
    func receive(_ text: String) {
        Array(text.utf8).withUnsafeBytes { receive($0) }
    }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { receive($0) }
    }

    func answerNull(_ call: Call) {
        answer(call) { $0.null() }
    }
}
