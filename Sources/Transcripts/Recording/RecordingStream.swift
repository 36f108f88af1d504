package import Transport

/// A stream that records what is read and written, and passes it on unchanged.
///
/// The stream is the server's end of a connection: what is read comes from the client. Confined to the stream's loop.
package final class RecordingStream: ByteStream {
    private let stream: any ByteStream
    private let connection: RecordedConnection
    private let didClose: () -> Void
    private var hasEndedWriting = false
    /// The parts so far of a message that is written in several parts.
    private var parts: [UInt8] = []

    package var handler: (any ByteStreamHandler)?

    /// Wraps a stream and becomes its handler.
    ///
    /// - Parameter didClose: called once, after the last call of the handler.
    package init(_ stream: any ByteStream, as connection: RecordedConnection, didClose: @escaping () -> Void = {}) {
        self.stream = stream
        self.connection = connection
        self.didClose = didClose
        stream.handler = self
    }

    package var loop: EventLoop { stream.loop }
    package var peerDescription: String { stream.peerDescription }
    package var peerUser: UInt32 { stream.peerUser }
    package var unsentByteCount: Int { stream.unsentByteCount }
    package var carriesMessages: Bool { stream.carriesMessages }

    package var isReadingPaused: Bool {
        get { stream.isReadingPaused }
        set { stream.isReadingPaused = newValue }
    }

    package var inputGuard: InputGuard? {
        get { stream.inputGuard }
        set { stream.inputGuard = newValue }
    }

    package func start() {
        stream.start()
    }

    package func readAvailable() {
        stream.readAvailable()
    }

    package func write(_ body: (inout [UInt8]) -> Void) {
        stream.write { buffer in
            let start = buffer.count
            body(&buffer)
            buffer[start...].withUnsafeBytes { pass($0, from: .server) }
        }
    }

    package func write(isLast: Bool, _ body: (inout [UInt8]) -> Void) {
        guard stream.carriesMessages else { return write(body) }
        stream.write(isLast: isLast) { buffer in
            let start = buffer.count
            body(&buffer)
            parts.append(contentsOf: buffer[start...])
        }
        guard isLast else { return }
        parts.withUnsafeBytes { pass($0, from: .server) }
        parts = []
    }

    package func finishWriting() {
        endWriting()
        stream.finishWriting()
    }

    package func finish() {
        endWriting()
        stream.finish()
    }

    package func close() {
        stream.close()
    }

    private func pass(_ bytes: UnsafeRawBufferPointer, from side: TranscriptSide) {
        guard stream.carriesMessages else { return connection.pass(bytes, from: side) }
        // A recording takes bytes, in which each message is a line. So line breaks in the message are replaced.
        let isLineEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        let line = bytes.map { isLineEnd($0) ? UInt8(ascii: " ") : $0 } + [UInt8(ascii: "\n")]
        line.withUnsafeBytes { connection.pass($0, from: side) }
    }

    private func endWriting() {
        guard !hasEndedWriting else { return }
        hasEndedWriting = true
        connection.end(.server)
    }
}

extension RecordingStream: ByteStreamHandler {
    package func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        pass(bytes, from: .client)
        handler?.stream(self, didRead: bytes)
    }

    package func streamDidReachEnd(_ stream: any ByteStream) {
        connection.end(.client)
        handler?.streamDidReachEnd(self)
    }

    package func streamDidSend(_ stream: any ByteStream) {
        handler?.streamDidSend(self)
    }

    package func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool {
        handler?.stream(self, readsOnAfter: error) ?? false
    }

    package func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        connection.close()
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: error)
        didClose()
    }
}
