import JSON
import JSONRPC
import Transport

extension ClientCore: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard stream === self.stream else { return }
        // A message may end this connection.
        let peer = peer
        peer.receive(bytes, for: self)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard stream === self.stream else { return }
        // A message that was cut off is sent again, as part of what comes after the last number.
        lose(Self.endOfConnection)
    }

    func streamDidSend(_ stream: any ByteStream) {}

    /// What the server said before it went may tell why.
    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { true }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        guard stream === self.stream else { return finishIfGone() }
        // Of a program, how it ended says more than which pipe broke first.
        lose(target.isLasting ? error.map { "\($0)" } ?? Self.endOfConnection : Self.endOfConnection)
    }
}

extension ClientCore: PeerHandler {
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: JSONRPC.Call) {
        if method == MethodNames.ping {
            peer.answer(call, for: self) { $0.null() }
        } else {
            peer.answer(call, for: self, error: RPCError(.methodNotFound, "a client has no method \"\(method)\""))
        }
    }

    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?) {
        guard peer === self.peer, let notification = Notification(method), let params else { return }
        take(notification, params)
    }

    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID) {}

    func peerDidSendBatch(_ peer: Peer, _ batch: Int) {}

    func peer(_ peer: Peer, didReceive response: Response, to id: RequestID) {
        guard peer === self.peer, let call = calls.removeValue(forKey: id) else { return }
        switch response {
        case .result(let value): call.reply(.success(value))
        case .error(let value): call.reply(.failure(RemoteError(value)))
        }
    }

    func peer(_ peer: Peer, didIgnore reason: String) {
        tell(.ignored(reason))
    }

    func peer(_ peer: Peer, didRefuse error: RPCError) {
        guard peer === self.peer, stream != nil else { return }
        violate(error.message)
    }

    func peerDidLoseFraming(_ peer: Peer) {}

    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer) {
        guard peer === self.peer else { return }
        // Its end couldn't be found by a server that doesn't take it, and the connection would be lost, again and again.
        if let limit = server?.messageBytes, message.count > limit {
            refusedBytes = message.count
            return
        }
        stream?.write { FrameEncoder(.lines).append(message, to: &$0) }
    }
}
