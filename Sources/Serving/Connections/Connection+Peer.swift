import JSON
import JSONRPC
import Transport

extension Connection: PeerHandler {
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call) {
        trace("Received request '\(method) - (\(call.id))'.", params)
        guard let known = Methods.named(method) else {
            return answer(call, error: state.refusalOfUnknown("\(method)"))
        }
        if case .refused(let error) = state.judgeRequest(known) { return answer(call, error: error) }
        do throws(RPCError) {
            guard let result = try known.run(self, Params(params), call) else { return runHandlers() }
            answer(call, result: result)
        } catch {
            answer(call, error: error)
        }
    }

    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?) {
        trace("Received notification '\(method)'.", params)
        guard let known = Methods.named(method) else { return }
        if case .dropped(let reason) = state.judgeNotification(known) { return log(.warning, reason) }
        do throws(RPCError) {
            _ = try known.run(self, Params(params), nil)
            runHandlers()
        } catch {
            log(.error, "\(method): \(error.message)")
        }
    }

    /// Lets handlers that needn't wait for anything finish, and what they sent be written, before the next message is taken:
    /// so what a client sends in one piece has the same effect as in many, and a `shutdown` doesn't overtake the event
    /// before it.
    private func runHandlers() {
        guard unfinishedJobs > 0 else { return }
        loop.runReadyWork()
        flush()
    }

    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID) {
        guard state.phase == .initialized else { return }
        cancel(id)
    }

    func peer(_ peer: Peer, didIgnore reason: String) {
        host.log.warning("\(stream.peerDescription): \(reason)")
    }

    func peerDidLoseFraming(_ peer: Peer) {
        closeAfterAnswer()
    }

    func peerDidSendBatch(_ peer: Peer, _ batch: Int) {
        for number in gatedViews.removeValue(forKey: batch) ?? [] { openGate(of: number) }
    }

    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer) {
        send(message)
    }

    func answer(_ call: Call, result: Method.Result) {
        peer.answer(call, for: self, result: result)
        didAnswer(call)
    }

    func answer(_ call: Call, error: RPCError) {
        peer.answer(call, for: self, error: error)
        didAnswer(call)
    }

    private func didAnswer(_ call: Call) {
        trace("Sent response '(\(call.id))'.", nil)
        concludeIfQuiet()
    }

    func cancel(_ id: RequestID) {
        peer.work(for: id)?.cancel()
    }

    private func trace(_ message: @autoclosure () -> String, _ params: JSONValue?) {
        guard state.trace != .off, state.phase == .initialized else { return }
        let message = message()
        let verbose = state.trace == .verbose ? params.map { String(decoding: $0.text, as: UTF8.self) } : nil
        notify(.logTrace) { params in
            params.key("message")
            params.string(message)
            if let verbose {
                params.key("verbose")
                params.string(verbose)
            }
        }
    }
}
