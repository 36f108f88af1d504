package import JSON

/// The owner of a `Peer`. It is called while the peer's `receive` or `answer` runs, and may call `answer` from inside.
package protocol PeerHandler: AnyObject {
    /// Called when the other side has sent a request, which is owed exactly one `answer`, now or later. `method` and `params`
    /// are borrowed for the call.
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call)
    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?)
    /// Called when the other side gives up on `id`, which may not be in flight.
    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID)
    /// Called when the answers to a batch, named as in `Call.batch`, have been sent.
    func peerDidSendBatch(_ peer: Peer, _ batch: Int)
    /// Called for a message that has no effect. The reason is for the log.
    func peer(_ peer: Peer, didIgnore reason: String)
    /// Called when the other side has answered a request of `ask`. `response` is borrowed for the call.
    func peer(_ peer: Peer, didReceive response: Response, to id: RequestID)
    /// Called for an invalid message. The peer answers it with this error after the call.
    ///
    /// The default implementation reports it as ignored, with the error's message as the reason.
    func peer(_ peer: Peer, didRefuse error: RPCError)
    /// Called when the end of the next message can't be found. The handler closes the connection after the messages that are
    /// written.
    func peerDidLoseFraming(_ peer: Peer)
    /// Sends a whole message after those before it. `message` is borrowed for the call, which must not call the peer.
    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer)
    /// Sends a message with shared parts after those before it. Unless implemented, it is sent as a copy.
    func peer(_ peer: Peer, send message: LongMessage)
}

extension PeerHandler {
    /// Does nothing, for a handler that never calls `ask`.
    package func peer(_ peer: Peer, didReceive response: Response, to id: RequestID) {}

    package func peer(_ peer: Peer, send message: LongMessage) {
        message.text.withUnsafeBytes { self.peer(peer, send: $0) }
    }

    package func peer(_ peer: Peer, didRefuse error: RPCError) {
        self.peer(peer, didIgnore: error.message)
    }
}
