import LibC

/// A channel of a link: a stream of messages, on a loop of its own.
///
/// The stream follows all rules of `ByteStream`. Data that the other end's window doesn't take waits here, and a user that
/// doesn't read fills the window of this channel only. Made by `Link`.
package final class LinkStream: ByteStream, Registrant, TurnEndWriter {
    /// The longest message in bytes where there is no `inputGuard`.
    package var messageBytes = 16 << 20

    package let loop: EventLoop
    package var handler: (any ByteStreamHandler)?
    package let peerDescription: String
    package var inputGuard: InputGuard?
    /// Takes the parts of messages as they come, instead of the handler's `stream(_:didRead:)`, so that long messages aren't
    /// put together. Set before `start`.
    package var takePart: ((_ part: UnsafeRawBufferPointer, _ isLast: Bool) -> Void)?

    /// Sends departures to the link's loop. Nil once the stream is closed.
    private var send: (@Sendable (LinkDepartures) -> Void)?
    private var registration: RegistrationToken?
    private var state = StreamState()
    private var output: LinkOutput
    private var input: LinkInput
    private var departures = LinkDepartures()
    /// The code for the other end when this stream closes.
    private var closeCode = LinkCloseCode.normal
    /// The error for `didClose` where the link has finished the stream.
    private var failure: SystemError?
    /// The reason why the output ended early while reading went on.
    private var outputError: SystemError?
    /// Whether the other end sends no more.
    private var isPeerDone = false
    /// Whether the other end takes no more.
    private var isPeerGone = false
    private var isDelivering = false
    private var isDeliveryQueued = false
    private var isUnflushed = false
    private var isAboveLowWater = false

    private var core: LoopCore { loop.core }

    /// Makes the stream on any thread, which must then call `begin` before it shows the stream to others.
    init(peer: String, on loop: EventLoop, windowBytes: Int) {
        output = LinkOutput(windowBytes: windowBytes)
        input = LinkInput(windowBytes: windowBytes)
        self.loop = loop
        peerDescription = peer
    }

    /// Connects the stream to its link. Called once.
    ///
    /// - Parameter send: called on the stream's loop.
    func begin(send: @escaping @Sendable (LinkDepartures) -> Void) {
        self.send = send
        let bound = LoopBound(self, loop: loop)
        // On another thread, the loop retains the stream from its next turn on, and this closure until then.
        guard loop.isCurrent else { return loop.execute { bound.value.register() } }
        register()
    }

    private func register() {
        registration = core.register(self)
    }

    package var carriesMessages: Bool { true }

    package var isReadingPaused: Bool {
        get { state.isReadingPaused }
        set {
            loop.preconditionIsCurrent()
            guard newValue != state.isReadingPaused else { return }
            state.isReadingPaused = newValue
            deliverLater()
            noteInput()
        }
    }

    package func start() {
        loop.preconditionIsCurrent()
        state.start()
        deliverLater()
    }

    package func finish() {
        loop.preconditionIsCurrent()
        guard state.finish() else { return }
        // Everything that comes is dropped, and credit given for it: the other end may have to send before it reads.
        input.dropAll()
        giveCredit()
        inputGuard?.end()
        writeLater()
    }

    package func finishWriting() {
        loop.preconditionIsCurrent()
        if state.finishWriting() { writeLater() }
    }

    package func close() {
        loop.preconditionIsCurrent()
        close(error: nil)
    }

    /// Finishes the stream for the link. `didClose` gets `error`, and the other end gets `code`.
    func finish(_ code: LinkCloseCode, _ error: SystemError) {
        guard state.phase == .open else { return }
        (closeCode, failure) = (code, error)
        finish()
    }

    func didBecomeReady(_ readiness: Interest) {}

    func loopWillEnd() {
        close(error: nil)
    }

    private func close(error: SystemError?) {
        guard state.close() else { return }
        var error = error
        error?.lostBytes += output.byteCount
        output.removeAll(pool: &core.buffers)
        input.dropAll()
        inputGuard?.end()
        departures.closing = closeCode
        tellLink()
        send = nil
        if let registration { core.withdraw(registration) }
        registration = nil
        core.atEndOfTurn(.run { self.reportClose(error) })
    }

    private func reportClose(_ error: SystemError?) {
        let handler = handler
        self.handler = nil
        takePart = nil
        handler?.stream(self, didClose: error)
    }

    private func tellLink() {
        guard !departures.isEmpty else { return }
        let taken = departures
        departures = LinkDepartures()
        send?(taken)
    }
}

// Writing.
extension LinkStream {
    package var unsentByteCount: Int { output.byteCount }

    package func write(_ body: (inout [UInt8]) -> Void) {
        write(isLast: true, body)
    }

    package func write(isLast: Bool, _ body: (inout [UInt8]) -> Void) {
        loop.preconditionIsCurrent()
        guard state.takesBytes else { return }
        var buffer = output.takeBuffer(pool: &core.buffers)
        body(&buffer)
        output.giveBack(buffer, isLast: isLast)
        writeLater()
    }

    private func writeLater() {
        guard !isUnflushed, !state.isClosed else { return }
        isUnflushed = true
        core.writeAtEndOfTurn(self)
    }

    var writesMuch: Bool { output.byteCount > StreamLimits.longWriteBytes }

    func writeAtTurnEnd() {
        isUnflushed = false
        guard !state.isClosed else { return }
        if output.byteCount > StreamLimits.lowWaterBytes { isAboveLowWater = true }
        if !output.isEmpty {
            guard !isPeerGone else { return didFailToWrite() }
            departures.pieces = output.takePieces(pool: &core.buffers)
        }
        if output.isEmpty { didSendAll() }
        tellLink()
        if isAboveLowWater, output.byteCount <= StreamLimits.lowWaterBytes, state.phase == .open {
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
        output.removeAll(pool: &core.buffers)
        state.endOutput()
    }

    private func didSendAll() {
        if state.phase == .finishing {
            close(error: failure)
        } else if state.output == .finishing {
            departures.isEnded = true
            state.endOutput()
            if state.isOver { close(error: nil) }
        }
    }
}

// Reading.
extension LinkStream {
    package func readAvailable() {
        loop.preconditionIsCurrent()
        deliver()
        reachEndIfDone()
        noteInput()
    }

    /// Takes what has come from the link's loop.
    func take(_ arrivals: LinkArrivals) {
        guard !state.isClosed else { return }
        if arrivals.credit > 0 {
            output.addCredit(arrivals.credit)
            writeLater()
        }
        takePieces(arrivals.pieces)
        if arrivals.isEnded { isPeerDone = true }
        if case .closed = arrivals.ending {
            (isPeerDone, isPeerGone) = (true, true)
            writeLater()
        }
        deliver()
        if case .failed(let error) = arrivals.ending { return close(error: error) }
        reachEndIfDone()
        noteInput()
    }

    private func takePieces(_ pieces: [LinkPiece]) {
        for piece in pieces {
            if state.phase == .open { input.append(piece) } else { input.drop(piece) }
        }
        giveCredit()
    }

    /// Delivers everything that has come, which the window bounds.
    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while state.wantsToRead {
            if let takePart {
                guard let piece = input.nextPiece() else { return }
                piece.bytes.withUnsafeBytes { takePart($0, piece.isLast) }
                giveCredit()
                continue
            }
            // A message may raise the bound for later ones.
            let maximum = inputGuard?.messageBytes ?? messageBytes
            switch input.next(maximumBytes: maximum) {
            case .none: return
            case .part: giveCredit()
            case .message(let bytes):
                bytes.withUnsafeBytes { handler?.stream(self, didRead: $0) }
                giveCredit()
            case .tooLong: return didReceiveTooLong(maximum)
            }
        }
    }

    private func didReceiveTooLong(_ maximum: Int) {
        closeCode = .failed
        close(
            error: SystemError(
                code: EMSGSIZE, call: "read", subject: peerDescription,
                reason: "a message is longer than \(maximum) bytes"))
    }

    private func giveCredit() {
        let credit = input.takeCredit()
        guard credit > 0 else { return }
        departures.credit += credit
        writeLater()
    }

    private func deliverLater() {
        guard !isDeliveryQueued, state.wantsToRead, isPeerDone || !input.isEmpty else { return }
        isDeliveryQueued = true
        // At the end of the turn, and so never inside another delivery.
        loop.atEndOfTurn { [self] in
            isDeliveryQueued = false
            deliver()
            reachEndIfDone()
            noteInput()
        }
    }

    private func reachEndIfDone() {
        guard isPeerDone, input.isEmpty, !isDelivering, state.wantsToRead else { return }
        state.reachEnd()
        handler?.streamDidReachEnd(self)
        if state.isOver { close(error: outputError) }
    }

    private func noteInput() {
        guard let inputGuard, state.phase == .open, !isDelivering else { return }
        let isAwaiting = input.isInMessage && !isReadingPaused
        inputGuard.note(heldBytes: input.heldBytes, awaiting: isAwaiting ? input.messageCount : nil)
    }
}
