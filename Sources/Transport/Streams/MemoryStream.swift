import LibC

/// One of two streams that are connected to each other inside the process, without a descriptor, on one loop.
///
/// It keeps to all that `ByteStream` says: what is written leaves at the end of the turn, and arrives in a later one. What the
/// peer hasn't read yet stays with the peer up to `capacity` bytes, as in a socket's buffer, and the rest with the writer.
package final class MemoryStream: ByteStream, Registrant, TurnEndWriter {
    enum Phase { case open, finishing, closed }
    enum Output { case open, finishing, ended }

    package static let defaultCapacity = 64 * 1024

    package let loop: EventLoop
    package var handler: (any ByteStreamHandler)?
    package let peerDescription = "memory"

    let core: LoopCore
    private let capacity: Int
    /// Delivered at most so many bytes at a time, each in a job of its own.
    private let pieceBytes: Int
    /// Nil when either is closed.
    private var peer: MemoryStream?
    private var registration: RegistrationToken?

    private var phase = Phase.open
    private var outputState = Output.open
    /// Why the output ended before its time, when reading went on.
    private var outputError: SystemError?
    private var unsent = UnsentBytes()
    private var received = UnsentBytes()
    private var isPeerDone = false
    private var isStarted = false
    private var hasReachedEnd = false
    private var isDelivering = false
    private var isDeliveryQueued = false
    private var isUnflushed = false
    private var isAboveLowWater = false

    package var isReadingPaused = false {
        didSet {
            loop.preconditionIsCurrent()
            deliverLater()
        }
    }

    /// Two connected streams; on the loop only. With `pieceBytes` each delivers so many bytes at a time, however they were
    /// written.
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
        isStarted = true
        deliverLater()
    }

    package func finish() {
        loop.preconditionIsCurrent()
        guard phase == .open else { return }
        phase = .finishing
        writeLater()
        // What nobody will read makes room for what the peer still sends, and loses.
        peer?.writeLater()
    }

    package func finishWriting() {
        loop.preconditionIsCurrent()
        guard phase == .open, outputState == .open else { return }
        outputState = .finishing
        writeLater()
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

extension MemoryStream {
    package var unsentByteCount: Int { unsent.count }

    package func write(_ body: (inout [UInt8]) -> Void) {
        loop.preconditionIsCurrent()
        guard phase == .open, outputState == .open else { return }
        var buffer = unsent.takeBuffer(pool: &core.buffers)
        body(&buffer)
        unsent.giveBack(buffer)
        writeLater()
    }

    private func writeLater() {
        guard !isUnflushed, phase != .closed else { return }
        isUnflushed = true
        core.writeAtEndOfTurn(self)
    }

    func writeAtTurnEnd() {
        isUnflushed = false
        guard phase != .closed else { return }
        if unsent.count > StreamLimits.lowWaterBytes { isAboveLowWater = true }
        if !unsent.isEmpty {
            // As with a socket, a peer that is gone is noticed when there is something to send to it.
            guard let peer else {
                return didFailToWrite()
            }
            let count = peer.take(unsent)
            if count > 0 { unsent.drop(count, pool: &core.buffers) }
        }
        if unsent.isEmpty { didSendAll() }
        if isAboveLowWater, unsent.count <= StreamLimits.lowWaterBytes, phase == .open {
            isAboveLowWater = false
            handler?.streamDidSend(self)
        }
    }

    private func didFailToWrite() {
        let error = SystemError(code: EPIPE, call: "write", subject: peerDescription)
        guard phase == .open, !hasReachedEnd, handler?.stream(self, readsOnAfter: error) ?? false else {
            return close(error: error)
        }
        outputError = error
        unsent.removeAll(pool: &core.buffers)
        outputState = .ended
    }

    /// Takes what there is room for and says how much.
    private func take(_ bytes: UnsentBytes) -> Int {
        guard phase == .open else { return bytes.count }
        let count = min(bytes.count, max(0, capacity - received.count))
        guard count > 0 else { return 0 }
        var buffer = received.takeBuffer(pool: &core.buffers)
        bytes.withUnsafeBytes { buffer.append(contentsOf: $0[..<count]) }
        received.giveBack(buffer)
        deliverLater()
        return count
    }

    private func didSendAll() {
        guard phase == .finishing || outputState == .finishing else { return }
        outputState = .ended
        peer?.isPeerDone = true
        peer?.deliverLater()
        if phase == .finishing || hasReachedEnd { close(error: nil) }
    }

    private func close(error: SystemError?) {
        guard phase != .closed else { return }
        phase = .closed
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
        core.atEndOfTurn(.run { self.tellClosed(error) })
    }

    private func tellClosed(_ error: SystemError?) {
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: error)
    }
}

extension MemoryStream {
    package func readAvailable() {
        loop.preconditionIsCurrent()
        guard !isDelivering else { return }
        var left = StreamLimits.drainBytes
        while wantsToRead, !received.isEmpty, left > 0 {
            left -= deliverPiece()
        }
        if received.isEmpty { reachEndIfDone() }
    }

    private var wantsToRead: Bool { isStarted && !isReadingPaused && !hasReachedEnd && phase == .open }

    private func deliverLater() {
        guard !isDeliveryQueued, wantsToRead, isPeerDone || !received.isEmpty else { return }
        isDeliveryQueued = true
        // Not as queued work, which may run inside what another delivery set going, as a poller's callbacks never do.
        loop.atEndOfTurn {
            self.isDeliveryQueued = false
            guard self.wantsToRead else { return }
            _ = self.deliverPiece()
            if self.received.isEmpty { self.reachEndIfDone() }
            self.deliverLater()
        }
    }

    /// Returns how many bytes were delivered.
    private func deliverPiece() -> Int {
        let count = min(received.count, pieceBytes)
        guard count > 0 else { return 0 }
        isDelivering = true
        // The handler may close the stream: the bytes it was lent stay, since the copy keeps their buffer.
        let lent = received
        lent.withUnsafeBytes { handler?.stream(self, didRead: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        isDelivering = false
        if phase != .closed { received.drop(count, pool: &core.buffers) }
        peer?.writeLater()
        return count
    }

    private func reachEndIfDone() {
        guard isPeerDone, wantsToRead else { return }
        hasReachedEnd = true
        handler?.streamDidReachEnd(self)
        if outputState == .ended { close(error: outputError) }
    }
}
