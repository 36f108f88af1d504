import JSON
import JSONRPC

extension TranscriptEntry.Content {
    /// The answer to a request that shouldn't have come; nil when this is none.
    func refusal(_ failure: PlayerFailure) -> JSONText? {
        guard case .message(let message) = self, let id = message.withValue(Self.requestID) else { return nil }
        var reason = "line \(failure.line) of the transcript: \(failure.reason)"
        if let difference = failure.difference { reason += " at \(difference)" }
        return JSONText { MessageEncoder.response(id, into: &$0, error: RPCError(.invalidRequest, reason)) }
    }

    private static func requestID(of message: JSONValue) -> RequestID? {
        guard message.member("method") != nil else { return nil }
        return message.member("id").flatMap(RequestID.init)
    }
}
