import LibC

/// A WebSocket (RFC 6455) over another stream, after the handshake, from the server's side. What is written in one call is one
/// text message, and each `didRead` is one whole message.
///
/// It answers pings, and asks the peer from time to time whether it is still there; it ends with the close handshake. A peer that
/// closes, breaks the rules or is gone is told by `didClose`.
package final class WebSocketStream: ByteStream {
    /// How a stream behaves.
    package struct Settings {
        /// The longest message that is taken, in bytes.
        package var messageBytes = 16 << 20
        /// Binary messages are delivered as text is; otherwise they end the connection with 1003.
        package var takesBinary = false
        /// A peer is asked so often whether it is there, and is gone when it says nothing until the next time.
        package var pingInterval = Duration.seconds(30)
        /// The peer has so long to answer the close frame.
        package var closeTime = Duration.seconds(2)
        /// The last message to a peer that sends a longer one than is taken; empty for none.
        package var tooLongNotice: [UInt8] = []
        /// The code that `finish` closes with.
        package var closeCode: () -> WebSocketCloseCode = { .normal }

        package init() {}
    }

    private enum Phase {
        case open
        /// The close frame is sent, the peer's is awaited.
        case closing
        /// Both are sent, or the peer isn't waited for: the stream below ends.
        case ended
    }

    private let stream: any ByteStream
    /// Set before `start`.
    package var settings = Settings()
    package var handler: (any ByteStreamHandler)?

    private var phase = Phase.open
    private var reader = WebSocketReader(maximumBytes: 0)
    private var isReading = false
    /// What came while reading was paused.
    private var pending: [UInt8] = []
    /// What the peer did wrong.
    private var failure: SystemError?
    private var timer: LoopTimer?
    /// The peer has ended without a close frame.
    private var hasReachedEnd = false
    private var hasHeard = true
    /// The newest ping of a peer that doesn't read what it is sent.
    private var unansweredPing: [UInt8]?
    /// Inside a `didRead`: whether that message is a binary one.
    package private(set) var isMessageBinary = false

    package var isReadingPaused = false {
        didSet {
            guard isReadingPaused != oldValue, phase == .open else { return }
            if isReadingPaused {
                stream.isReadingPaused = true
            } else {
                loop.atEndOfTurn { self.readPending() }
            }
        }
    }

    /// Becomes the handler of `stream`, which is started already.
    package init(_ stream: any ByteStream) {
        self.stream = stream
        stream.handler = self
    }

    package var carriesMessages: Bool { true }
    package var loop: EventLoop { stream.loop }
    package var peerDescription: String { "\(stream.peerDescription) (WebSocket)" }
    package var unsentByteCount: Int { stream.unsentByteCount }

    package func start() {
        reader = WebSocketReader(maximumBytes: settings.messageBytes)
        pingLater()
    }

    package func write(_ body: (inout [UInt8]) -> Void) {
        write(.text, body)
    }

    /// As `write`, a binary message.
    package func writeBinary(_ body: (inout [UInt8]) -> Void) {
        write(.binary, body)
    }

    package func readAvailable() {
        readPending()
        if !isReadingPaused { stream.readAvailable() }
    }

    package func finishWriting() {
        finish()
    }

    package func finish() {
        guard phase == .open else { return }
        writeClose(settings.closeCode(), "")
        guard !hasReachedEnd else { return end() }
        phase = .closing
        pending = []
        stream.isReadingPaused = false
        after(settings.closeTime) { $0.end() }
    }

    package func close() {
        phase = .ended
        stream.close()
    }

    /// Takes what came together with the handshake.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        hasHeard = true
        guard pending.isEmpty, !isReading, !isReadingPaused || phase != .open else {
            return pending.append(contentsOf: bytes)
        }
        let used = read(bytes)
        pending.append(contentsOf: bytes[used...])
    }

    private func readPending() {
        guard !isReadingPaused, !isReading else { return }
        let bytes = pending
        pending = []
        let used = bytes.withUnsafeBytes { read($0) }
        // What came meanwhile, though nothing should, comes after.
        pending = bytes[used...] + pending
        stream.isReadingPaused = isReadingPaused
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard phase != .ended else { return bytes.count }
        isReading = true
        defer { isReading = false }
        return reader.read(bytes) {
            take($0)
            return !isReadingPaused || phase != .open
        }
    }

    private func take(_ event: WebSocketReader.Event) {
        switch event {
        case .text(let bytes): deliver(bytes, isBinary: false)
        case .binary(let bytes): deliver(bytes, isBinary: true)
        case .ping(let payload): answer(payload)
        case .pong: break
        case .close(let code): didReceiveClose(code)
        case .failure(let error): fail(error)
        }
    }

    /// Of pings that can't be answered at once, the newest is answered (RFC 6455, section 5.5.3): a peer that sends them and
    /// doesn't read takes no memory.
    private func answer(_ ping: [UInt8]) {
        guard phase == .open else { return }
        guard stream.unsentByteCount <= StreamLimits.lowWaterBytes else { return unansweredPing = ping }
        writeFrame(.pong, ping)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer, isBinary: Bool) {
        guard phase == .open else { return }
        guard !isBinary || settings.takesBinary else {
            return fail(WebSocketError(.unsupportedData, "messages must be text"))
        }
        isMessageBinary = isBinary
        handler?.stream(self, didRead: bytes)
    }

    /// The peer's reason is echoed, so that it knows that this end has understood.
    private func didReceiveClose(_ code: WebSocketCloseCode?) {
        if phase == .open {
            if let code { writeClose(code, "") } else { writeFrame(.close, []) }
        }
        end()
    }

    private func fail(_ error: WebSocketError) {
        failure = SystemError(
            code: EPROTO, call: "WebSocket", subject: stream.peerDescription, reason: error.description)
        if phase == .open {
            if error.code == .tooBig, !settings.tooLongNotice.isEmpty {
                write { $0.append(contentsOf: settings.tooLongNotice) }
            }
            writeClose(error.code, error.description)
        }
        end()
    }

    /// The stream below sends what is unsent, and closes.
    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        pending = []
        timer?.cancel()
        stream.finish()
        after(settings.closeTime) { $0.stream.close() }
    }
}

// What is written.
extension WebSocketStream {
    private static let usualHeaderBytes = 4

    /// The header comes before a message whose length isn't known yet: room for that of most is left, and what is put in its
    /// place is longer or shorter for few or short messages alone.
    private func write(_ opcode: WebSocketOpcode, _ body: (inout [UInt8]) -> Void) {
        guard phase == .open else { return }
        stream.write { output in
            let start = output.count
            output.append(contentsOf: repeatElement(0, count: Self.usualHeaderBytes))
            body(&output)
            let length = output.count - start - Self.usualHeaderBytes
            let header = WebSocketFrameHeader.serverFrame(opcode, length: length)
            output.replaceSubrange(start..<(start + Self.usualHeaderBytes), with: header)
        }
    }

    private func writeFrame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        stream.write {
            $0.append(contentsOf: WebSocketFrameHeader.serverFrame(opcode, length: payload.count))
            $0.append(contentsOf: payload)
        }
    }

    private func writeClose(_ code: WebSocketCloseCode, _ reason: String) {
        // Cut between characters, to what fits beside the code.
        var reason = reason
        while reason.utf8.count > WebSocketFrameHeader.maximumControlBytes - 2 { reason.removeLast() }
        let number = [UInt8(code.number >> 8), UInt8(code.number & 0xFF)]
        writeFrame(.close, number + reason.utf8)
    }
}

// Whether the peer is still there.
extension WebSocketStream {
    private func pingLater() {
        after(settings.pingInterval) { $0.ping() }
    }

    private func ping() {
        // Who isn't listened to can't answer.
        guard hasHeard || isReadingPaused else {
            failure = SystemError(
                code: ETIMEDOUT, call: "WebSocket", subject: stream.peerDescription, reason: "no answer to a ping")
            return close()
        }
        hasHeard = false
        writeFrame(.ping, [])
        pingLater()
    }

    private func after(_ time: Duration, _ action: @escaping @Sendable (WebSocketStream) -> Void) {
        timer?.cancel()
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: time) { action(bound.value) }
    }
}

extension WebSocketStream: ByteStreamHandler {
    package func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        receive(bytes)
    }

    /// Not what the rules want, but what a peer does that has said all it has to say: it is still answered.
    package func streamDidReachEnd(_ stream: any ByteStream) {
        guard phase == .open else { return end() }
        hasReachedEnd = true
        handler?.streamDidReachEnd(self)
    }

    package func streamDidSend(_ stream: any ByteStream) {
        if let ping = unansweredPing {
            unansweredPing = nil
            answer(ping)
        }
        handler?.streamDidSend(self)
    }

    package func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        phase = .ended
        timer?.cancel()
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: failure ?? error)
    }
}
