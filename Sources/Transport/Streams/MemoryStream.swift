import LibC

/// One of two streams that are connected to each other inside the process, without a descriptor, on one loop.
///
/// It follows all rules of `ByteStream`: written bytes leave at the end of the turn, and arrive in a later one. Bytes that
/// the peer hasn't read yet wait with the peer up to `capacity`, as in a socket's buffer, and the rest with the writer.
package final class MemoryStream: ByteStream, Registrant, TurnEndWriter {
    package static let defaultCapacity = 64 * 1024

    package let loop: EventLoop
    package var handler: (any ByteStreamHandler)?
    package let peerDescription = "memory"

    private let core: LoopCore
    private let capacity: Int
    /// The most bytes that one `didRead` delivers.
    private let pieceBytes: Int
    /// The other stream of the pair; nil when either is closed.
    private var peer: MemoryStream?
    private var registration: RegistrationToken?

    private var state = StreamState()
    /// The reason why the output ended early while reading went on.
    private var outputError: SystemError?
    private var unsent = UnsentBytes()
    private var received = UnsentBytes()
    private var isPeerDone = false
    private var isDelivering = false
    private var isDeliveryQueued = false
    private var isUnflushed = false
    private var isAboveLowWater = false

    package var isReadingPaused: Bool {
        get { state.isReadingPaused }
        set {
            loop.preconditionIsCurrent()
            state.isReadingPaused = newValue
            deliverLater()
        }
    }

    /// Makes two connected streams. Called on the loop only.
    ///
    /// - Parameter pieceBytes: the most bytes that each stream delivers at a time, however they were written.
    package static func pair(
        loop: EventLoop, capacity: Int = defaultCapacity, pieceBytes: Int = .max
    ) -> (MemoryStream, MemoryStream) {
        let first = MemoryStream(loop: loop, capacity: capacity, pieceBytes: pieceBytes)
        let second = MemoryStream(loop: loop, capacity: capacity, pieceBytes: pieceBytes)
        first.peer = second
        second.peer = first
        return (first, second)
    }

    private init(loop: EventLoop, capacity: Int, pieceBytes: Int) {
        loop.preconditionIsCurrent()
        precondition(capacity > 0 && pieceBytes > 0)
        self.loop = loop
        core = loop.core
        self.capacity = capacity
        self.pieceBytes = pieceBytes
        registration = core.register(self)
    }

    package func start() {
        loop.preconditionIsCurrent()
        state.start()
        deliverLater()
    }

    package func finish() {
        loop.preconditionIsCurrent()
        guard state.finish() else { return }
        writeLater()
        // From here on the peer's bytes are dropped, so there is always room for them.
        peer?.writeLater()
    }

    package func finishWriting() {
        loop.preconditionIsCurrent()
        if state.finishWriting() { writeLater() }
    }

    package func close() {
        loop.preconditionIsCurrent()
        close(error: nil)
    }

    func didBecomeReady(_ readiness: Interest) {}

    func loopWillEnd() {
        close(error: nil)
    }
}

// Writing.
extension MemoryStream {
    package var unsentByteCount: Int { unsent.count }

    package func write(_ body: (inout [UInt8]) -> Void) {
        loop.preconditionIsCurrent()
        guard state.takesBytes else { return }
        var buffer = unsent.takeBuffer(pool: &core.buffers)
        body(&buffer)
        unsent.giveBack(buffer)
        writeLater()
    }

    private func writeLater() {
        guard !isUnflushed, !state.isClosed else { return }
        isUnflushed = true
        core.writeAtEndOfTurn(self)
    }

    /// False, as nothing is copied to the kernel, so that writing takes no time.
    var writesMuch: Bool { false }

    func writeAtTurnEnd() {
        isUnflushed = false
        guard !state.isClosed else { return }
        if unsent.count > StreamLimits.lowWaterBytes { isAboveLowWater = true }
        if !unsent.isEmpty {
            // As with a socket, it takes a write to notice that the peer is gone.
            guard let peer else {
                return didFailToWrite()
            }
            let count = peer.take(unsent)
            if count > 0 { unsent.drop(count, pool: &core.buffers) }
        }
        if unsent.isEmpty { didSendAll() }
        if isAboveLowWater, unsent.count <= StreamLimits.lowWaterBytes, state.phase == .open {
            isAboveLowWater = false
            handler?.streamDidSend(self)
        }
    }

    private func didFailToWrite() {
        let error = SystemError(code: EPIPE, call: "write", subject: peerDescription)
        guard state.phase == .open, !state.hasReachedEnd, handler?.stream(self, readsOnAfter: error) ?? false else {
            return close(error: error)
        }
        outputError = error
        unsent.removeAll(pool: &core.buffers)
        state.endOutput()
    }

    /// Takes as many of the peer's bytes as there is room for.
    ///
    /// - Returns: the number of bytes that were taken.
    private func take(_ bytes: UnsentBytes) -> Int {
        guard state.phase == .open else { return bytes.count }
        let count = min(bytes.count, max(0, capacity - received.count))
        guard count > 0 else { return 0 }
        var buffer = received.takeBuffer(pool: &core.buffers)
        bytes.withUnsafeBytes { buffer.append(contentsOf: $0[..<count]) }
        received.giveBack(buffer)
        deliverLater()
        return count
    }

    private func didSendAll() {
        guard state.phase == .finishing || state.output == .finishing else { return }
        state.endOutput()
        peer?.isPeerDone = true
        peer?.deliverLater()
        if state.phase == .finishing || state.hasReachedEnd { close(error: nil) }
    }

    private func close(error: SystemError?) {
        guard state.close() else { return }
        unsent.removeAll(pool: &core.buffers)
        received.removeAll(pool: &core.buffers)
        if let registration { core.withdraw(registration) }
        registration = nil
        if let peer {
            peer.isPeerDone = true
            peer.peer = nil
            peer.deliverLater()
            peer.writeLater()
        }
        peer = nil
        core.atEndOfTurn(.run { self.reportClose(error) })
    }

    private func reportClose(_ error: SystemError?) {
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: error)
    }
}

// Reading.
extension MemoryStream {
    package func readAvailable() {
        loop.preconditionIsCurrent()
        guard !isDelivering else { return }
        var left = StreamLimits.drainBytes
        while state.wantsToRead, !received.isEmpty, left > 0 {
            left -= deliverPiece()
        }
        if received.isEmpty { reachEndIfDone() }
    }

    private func deliverLater() {
        guard !isDeliveryQueued, state.wantsToRead, isPeerDone || !received.isEmpty else { return }
        isDeliveryQueued = true
        // At the end of the turn, so never from inside another delivery, like a poller's callbacks.
        loop.atEndOfTurn {
            self.isDeliveryQueued = false
            guard self.state.wantsToRead else { return }
            _ = self.deliverPiece()
            if self.received.isEmpty { self.reachEndIfDone() }
            self.deliverLater()
        }
    }

    /// Delivers the next piece.
    ///
    /// - Returns: the number of bytes that were delivered.
    private func deliverPiece() -> Int {
        let count = min(received.count, pieceBytes)
        guard count > 0 else { return 0 }
        isDelivering = true
        // The handler may close the stream: this copy retains the buffer of the bytes that it was lent.
        let lent = received
        lent.withUnsafeBytes { handler?.stream(self, didRead: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        isDelivering = false
        if !state.isClosed { received.drop(count, pool: &core.buffers) }
        peer?.writeLater()
        return count
    }

    private func reachEndIfDone() {
        guard isPeerDone, state.wantsToRead else { return }
        state.reachEnd()
        handler?.streamDidReachEnd(self)
        if state.isOver { close(error: outputError) }
    }
}
