package import JSON

/// The owner of a `Peer`. It is called while the peer's `receive` or `answer` runs, and may call `answer` from inside.
package protocol PeerHandler: AnyObject {
    /// The other side has sent a request. It is owed exactly one `answer`, now or later. `method` and `params` are borrowed for
    /// the call.
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call)
    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?)
    /// The other side gives up on `id`, which may not be in flight.
    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID)
    /// The answers to this batch, `Call.batch`, have been sent.
    func peerDidSendBatch(_ peer: Peer, _ batch: Int)
    /// A message has come that has no effect. The reason is for the log.
    func peer(_ peer: Peer, didIgnore reason: String)
    /// The other side has answered a request of `ask`. `response` is borrowed for the call.
    func peer(_ peer: Peer, didReceive response: Response, to id: RequestID)
    /// An invalid message has come. The peer answers it with this error after the call.
    ///
    /// The default implementation reports it as ignored, with the error's message as the reason.
    func peer(_ peer: Peer, didRefuse error: RPCError)
    /// The end of the next message can't be found: close the connection after the messages that are written.
    func peerDidLoseFraming(_ peer: Peer)
    /// Send this whole message, which is borrowed for the call, after those before it. Must not call the peer back.
    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer)
    /// Send this message, which has shared parts, after those before it. Unless implemented, it is sent as a copy.
    func peer(_ peer: Peer, send message: LongMessage)
}

extension PeerHandler {
    /// For a side that asks nothing.
    package func peer(_ peer: Peer, didReceive response: Response, to id: RequestID) {}

    package func peer(_ peer: Peer, send message: LongMessage) {
        message.text.withUnsafeBytes { self.peer(peer, send: $0) }
    }

    package func peer(_ peer: Peer, didRefuse error: RPCError) {
        self.peer(peer, didIgnore: error.message)
    }
}
