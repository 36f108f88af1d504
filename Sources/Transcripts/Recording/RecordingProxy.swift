package import Transport

/// A proxy between a client and a server that passes their bytes on unchanged, and records them.
///
/// If one side doesn't read, the proxy stops reading from the other. The end of a side is passed on as a half close. However
/// the client disconnects, everything it sent reaches the server, and what the server still sends is recorded. Confined to the
/// loop of both streams, which retain the proxy until both are closed.
package final class RecordingProxy {
    private let client: any ByteStream
    private let server: any ByteStream
    private let connection: RecordedConnection
    private let grace: Duration
    private let didClose: () -> Void
    private var open: Set<TranscriptSide> = [.client, .server]
    private var ended: Set<TranscriptSide> = []
    private var isTakingAll = false
    private var timer: LoopTimer?

    /// Becomes the handler of both streams and starts them.
    ///
    /// - Parameters:
    ///   - grace: how long a server may go on when its client is gone.
    ///   - didClose: called once, when both streams are closed.
    package init(
        client: any ByteStream, server: any ByteStream, as connection: RecordedConnection, grace: Duration,
        didClose: @escaping () -> Void
    ) {
        self.client = client
        self.server = server
        self.connection = connection
        self.grace = grace
        self.didClose = didClose
        client.handler = self
        server.handler = self
        client.start()
        server.start()
    }

    /// Records the rest of the output of a server program that has ended, and closes its stream.
    ///
    /// The stream's own end may never come, as long as other processes have the program's output open.
    package func serverDidEnd() {
        takeAll(from: server)
        end(.server)
        server.close()
    }

    /// Passes on what has arrived, and closes both streams once everything is sent.
    package func finish() {
        takeAll(from: client)
        takeAll(from: server)
        client.finish()
        server.finish()
    }

    /// Closes both streams now.
    package func close() {
        client.close()
        server.close()
    }

    private func side(of stream: any ByteStream) -> TranscriptSide {
        stream === client ? .client : .server
    }

    private func stream(of side: TranscriptSide) -> any ByteStream {
        side == .client ? client : server
    }

    private func end(_ side: TranscriptSide) {
        if ended.insert(side).inserted { connection.end(side) }
    }

    /// Reads everything that has arrived, however slowly the other side reads.
    private func takeAll(from stream: any ByteStream) {
        isTakingAll = true
        stream.isReadingPaused = false
        stream.readAvailable()
        isTakingAll = false
    }

    /// Takes what the client has sent, and closes its stream, since the client reads nothing more.
    private func clientIsGone() {
        takeAll(from: client)
        end(.client)
        client.close()
    }

    /// Lets the server go on for as long as the grace, and records what it still sends.
    private func clientDidClose(_ error: SystemError?) {
        if error != nil { end(.client) }
        server.isReadingPaused = false
        server.finishWriting()
        guard open.contains(.server) else { return }
        let bound = LoopBound(self, loop: server.loop)
        timer = server.loop.schedule(after: grace) { bound.value.server.close() }
    }

    private func serverDidClose(_ error: SystemError?) {
        if error != nil { end(.server) }
        client.isReadingPaused = false
        client.finish()
    }
}

extension RecordingProxy: ByteStreamHandler {
    package func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        let side = side(of: stream)
        let other = self.stream(of: side.opposite)
        var isTaken = false
        other.write { buffer in
            buffer.append(contentsOf: bytes)
            isTaken = true
        }
        // Bytes that the server can't take any more aren't recorded.
        if isTaken || side == .server { connection.pass(bytes, from: side) }
        if other.unsentByteCount > StreamLimits.lowWaterBytes, !isTakingAll { stream.isReadingPaused = true }
    }

    package func streamDidReachEnd(_ stream: any ByteStream) {
        let side = side(of: stream)
        end(side)
        self.stream(of: side.opposite).finishWriting()
    }

    package func streamDidSend(_ stream: any ByteStream) {
        self.stream(of: side(of: stream).opposite).isReadingPaused = false
    }

    package func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool {
        let side = side(of: stream)
        let bound = LoopBound(self, loop: stream.loop)
        stream.loop.execute {
            bound.value.stream(of: side.opposite).isReadingPaused = false
            if side == .client { bound.value.clientIsGone() }
        }
        return true
    }

    package func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        let side = side(of: stream)
        open.remove(side)
        switch side {
        case .client: clientDidClose(error)
        case .server: serverDidClose(error)
        }
        guard open.isEmpty else { return }
        timer?.cancel()
        connection.close()
        didClose()
    }
}
