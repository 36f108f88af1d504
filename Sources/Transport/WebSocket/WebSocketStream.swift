import LibC

/// The server's side of a WebSocket (RFC 6455) over another stream, after the handshake.
///
/// The bytes of one `write` are one text message, and each `didRead` is one whole message. The stream answers pings,
/// pings the peer from time to time, and ends with the close handshake. A peer that closes, breaks the rules or is gone
/// is reported by `didClose`.
package final class WebSocketStream: ByteStream {
    /// The limits and times of a stream.
    package struct Settings {
        /// The longest message in bytes that is accepted.
        package var messageBytes = 16 << 20
        /// Whether binary messages are delivered, like text; otherwise they end the connection with 1003.
        package var takesBinary = false
        /// The time between pings. A peer that sends nothing from one ping to the next counts as gone.
        package var pingInterval = Duration.seconds(30)
        /// The time that the peer has to answer the close frame.
        package var closeTime = Duration.seconds(2)
        /// Makes the last message to a peer that sent a message longer than so many bytes; empty for none.
        package var tooLongNotice: (_ maximumBytes: Int) -> [UInt8] = { _ in [] }
        /// Returns the code with which `finish` closes the connection.
        package var closeCode: () -> WebSocketCloseCode = { .normal }

        package init() {}
    }

    private enum Phase {
        case open
        /// The close frame is sent, and the peer's is expected.
        case closing
        /// Both close frames are sent, or the peer's isn't waited for: the stream below ends.
        case ended
    }

    private let stream: any ByteStream
    /// The limits and times. Set before `start`.
    package var settings = Settings()
    package var handler: (any ByteStreamHandler)?
    /// Guards unfinished messages. Its bound on messages replaces that in `settings`.
    package var inputGuard: InputGuard?

    private var phase = Phase.open
    private var reader = WebSocketReader(maximumBytes: 0)
    private var isReading = false
    /// Bytes that came while reading was paused.
    private var pending: [UInt8] = []
    /// The error for `didClose`.
    private var failure: SystemError?
    private var timer: LoopTimer?
    /// Whether the peer has ended its output without a close frame.
    private var hasReachedEnd = false
    private var hasHeard = true
    /// Whether a part of a message is written that wasn't the last one.
    private var isInMessage = false
    /// The newest ping, still to be answered, of a peer that doesn't read.
    private var unansweredPing: [UInt8]?
    /// Whether the message of the current `didRead` is binary.
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

    /// Becomes the handler of `stream`, which must be started already.
    package init(_ stream: any ByteStream) {
        self.stream = stream
        stream.handler = self
    }

    package var carriesMessages: Bool { true }
    package var loop: EventLoop { stream.loop }
    package var peerDescription: String { "\(stream.peerDescription) (WebSocket)" }
    package var unsentByteCount: Int { stream.unsentByteCount }

    package func start() {
        reader = WebSocketReader(maximumBytes: messageBytes)
        pingLater()
    }

    private var messageBytes: Int { inputGuard?.messageBytes ?? settings.messageBytes }

    package func write(_ body: (inout [UInt8]) -> Void) {
        write(.text, body)
    }

    /// Writes a part of a message as a frame (RFC 6455, section 5.4), so that a ping may come between two parts.
    package func write(isLast: Bool, _ body: (inout [UInt8]) -> Void) {
        write(isInMessage ? .continuation : .text, isLast: isLast, body)
        isInMessage = !isLast
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
        inputGuard?.end()
        stream.isReadingPaused = false
        after(settings.closeTime) { $0.end() }
    }

    package func close() {
        phase = .ended
        stream.close()
    }

    /// Drops all input. While `read` runs, it ends the reader itself.
    private func dropInput() {
        pending = []
        inputGuard?.end()
        if !isReading { reader.end() }
    }

    /// Takes bytes from the stream below, or bytes that came together with the handshake.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        hasHeard = true
        guard pending.isEmpty, !isReading, !isReadingPaused || phase != .open else {
            pending.append(contentsOf: bytes)
            return noteInput()
        }
        let used = read(bytes)
        pending.append(contentsOf: bytes[used...])
        noteInput()
    }

    private func readPending() {
        guard !isReadingPaused, !isReading else { return }
        let bytes = pending
        pending = []
        let used = bytes.withUnsafeBytes { read($0) }
        // Bytes shouldn't have come meanwhile, but if so, they come after these.
        pending = bytes[used...] + pending
        stream.isReadingPaused = isReadingPaused
        noteInput()
    }

    private func noteInput() {
        guard let inputGuard, phase == .open else { return }
        let isAwaiting = !isReadingPaused && !reader.isBetweenMessages
        inputGuard.note(
            heldBytes: reader.heldBytes + pending.count, awaiting: isAwaiting ? reader.messageCount : nil)
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard phase != .ended else { return bytes.count }
        isReading = true
        defer { isReading = false }
        var used = 0
        repeat {
            // A message may raise the bound for later ones.
            let bound = messageBytes
            reader.maximumBytes = bound
            reader.keepsMessages = phase == .open
            used += reader.read(UnsafeRawBufferPointer(rebasing: bytes[used...])) {
                take($0)
                return (!isReadingPaused && messageBytes == bound) || phase != .open
            }
        } while messageBytes != reader.maximumBytes && !isReadingPaused && phase == .open
        if phase == .ended { reader.end() }
        return used
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

    /// Answers a ping. While the peer doesn't read, only the newest ping is kept and answered later (RFC 6455, section
    /// 5.5.3), so that such a peer takes no memory.
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

    /// Echoes the peer's close code (RFC 6455, section 5.5.1), and ends.
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
            let notice = error.code == .tooBig ? settings.tooLongNotice(messageBytes) : []
            if !notice.isEmpty { write { $0.append(contentsOf: notice) } }
            writeClose(error.code, error.description)
        }
        end()
    }

    /// Ends the stream below, which sends its unsent bytes and closes.
    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        dropInput()
        timer?.cancel()
        stream.finish()
        after(settings.closeTime) { $0.stream.close() }
    }
}

// Writing.
extension WebSocketStream {
    private static let usualHeaderBytes = 4

    /// Writes a frame. The header comes before a payload whose length isn't known yet. It gets room for the usual length, so
    /// only short and very long messages are moved.
    func write(_ opcode: WebSocketOpcode, isLast: Bool = true, _ body: (inout [UInt8]) -> Void) {
        guard phase == .open else { return }
        stream.write { output in
            let start = output.count
            output.append(contentsOf: repeatElement(0, count: Self.usualHeaderBytes))
            body(&output)
            let length = output.count - start - Self.usualHeaderBytes
            let header = WebSocketFrameHeader.serverFrame(opcode, isLast: isLast, length: length)
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
        // The reason is cut between characters to what fits beside the code.
        var reason = reason
        while reason.utf8.count > WebSocketFrameHeader.maximumControlBytes - 2 { reason.removeLast() }
        let number = [UInt8(code.number >> 8), UInt8(code.number & 0xFF)]
        writeFrame(.close, number + reason.utf8)
    }
}

// Pings.
extension WebSocketStream {
    private func pingLater() {
        after(settings.pingInterval) { $0.ping() }
    }

    private func ping() {
        // An answer isn't read while reading is paused.
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

    /// Handles the end of the peer's output. Ending without a close frame is against the rules, but peers do it when they
    /// have sent everything, and are still answered.
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
        dropInput()
        timer?.cancel()
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: failure ?? error)
    }
}
