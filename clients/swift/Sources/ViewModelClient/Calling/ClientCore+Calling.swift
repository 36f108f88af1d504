import JSON
import JSONRPC

extension ClientCore {
    /// Sends the request now, or once there is a connection.
    func ask(_ call: Call) {
        if let end {
            call.reply(.failure(end))
        } else if isConnected {
            send(call)
        } else {
            waitingCalls.append(call)
        }
    }

    func send(_ call: Call) {
        let id = peer.ask(call.method, for: self, params: call.params)
        if let bytes = refusedBytes {
            refusedBytes = nil
            call.reply(.failure(tooLong(bytes)))
        } else {
            calls[id] = call
        }
    }

    func tooLong(_ bytes: Int) -> RemoteError {
        let reason = "a message of \(bytes) bytes; the server takes \(server?.messageBytes ?? 0) at most"
        return .refused(.init(code: ErrorCode.limitExceeded.rawValue, message: reason))
    }

    /// Gives up a request or a view event. What is on its way is answered all the same, mostly as cancelled.
    func cancel(_ ticket: Int) {
        if let index = waitingCalls.firstIndex(where: { $0.ticket == ticket }) {
            return waitingCalls.remove(at: index).reply(.failure(CancellationError()))
        }
        if let id = calls.first(where: { $0.value.ticket == ticket })?.key {
            calls[id]?.isCancelled = true
            return peer.notify(MethodNames.cancelRequest, for: self) { params in
                params.key("id")
                id.write(to: &params)
            }
        }
        cancelUnsent(ticket)
    }

    /// Gives up a view event that isn't on its way. Its number goes to the next one, unless the session has it.
    func cancelUnsent(_ ticket: Int) {
        for record in views.values {
            guard let event = record.takeUnsent(ticket) else { continue }
            return complete(event, .failure(CancellationError()))
        }
    }
}
