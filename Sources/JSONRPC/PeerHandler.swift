package import JSON

/// What a `Peer` tells its owner. Called while `receive` or `answer` runs; the owner may call `answer` from inside.
package protocol PeerHandler: AnyObject {
    /// Owed exactly one `answer`, now or later. `method` and `params` are borrowed for the call.
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call)
    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?)
    /// The client gives up on `id`, which may not be in flight.
    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID)
    /// The answers to this batch, `Call.batch`, have been sent.
    func peerDidSendBatch(_ peer: Peer, _ batch: Int)
    /// Something came that is no proper message or had no effect; worth a line in the log.
    func peer(_ peer: Peer, didIgnore reason: String)
    /// The other side has answered what was asked with `ask`. `response` is borrowed for the call.
    func peer(_ peer: Peer, didReceive response: Response, to id: RequestID)
    /// Something came that is no proper message, and is answered with this error after this call. Unless implemented, it is
    /// ignored in the error's words.
    func peer(_ peer: Peer, didRefuse error: RPCError)
    /// The end of the next message can't be found: close the connection after what is written.
    func peerDidLoseFraming(_ peer: Peer)
    /// Send this whole message, which is borrowed for the call, after those before it. Must not call the peer back.
    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer)
}

extension PeerHandler {
    /// For a side that asks nothing.
    package func peer(_ peer: Peer, didReceive response: Response, to id: RequestID) {}

    package func peer(_ peer: Peer, didRefuse error: RPCError) {
        self.peer(peer, didIgnore: error.message)
    }
}
