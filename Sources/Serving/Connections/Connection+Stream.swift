import JSONRPC
import Transport

extension Connection: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard state.phase != .ended else { return }
        if let door {
            door.take(bytes, of: self)
        } else if carriesMessages {
            peer.receive(message: bytes, for: self)
        } else {
            peer.receive(bytes, for: self)
        }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard state.phase != .ended else { return }
        peer.receiveEnd(for: self)
        endAfterAnswers()
    }

    func streamDidSend(_ stream: any ByteStream) {
        flush()
        if isEnding, state.phase == .ended { conclude() }
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        if let error { host.log.info("\(stream.peerDescription): closed: \(error)") }
        didClose()
    }
}
