import LibC

/// A stream over one descriptor (a socket) or two (standard input and output).
///
/// A request and its answer, when both fit a buffer, cost one `epoll_wait`, one `read` and one `write`. The bytes are
/// read into the loop's own buffer and written to one that the loop lends, and are not copied in between. An idle
/// stream is this object and a place in the loop's table. (Why `@exclusivity(unchecked)`: see `LoopCore`.)
package final class DescriptorStream: ByteStream, Registrant, TurnEndWriter {
    package let loop: EventLoop
    @exclusivity(unchecked) package var handler: (any ByteStreamHandler)?
    package let peerDescription: String

    // Ordered so as to leave no gaps: there may be ten thousand streams.
    /// The loop's core, used on the loop only.
    private let core: LoopCore
    private let inputChannel: Channel
    @exclusivity(unchecked) private var state = StreamState()
    private var input: Descriptor?
    @exclusivity(unchecked) private var registration: RegistrationToken?
    /// Whether a call of `didRead` is under way.
    @exclusivity(unchecked) private var isDelivering = false
    /// Whether the kernel took less than it was given. The poller reports when it takes more.
    @exclusivity(unchecked) private var isOutputBlocked = false
    /// Whether the stream is in the loop's list of those that write at the end of this turn.
    @exclusivity(unchecked) private var isUnflushed = false
    @exclusivity(unchecked) private var isAboveLowWater = false
    @exclusivity(unchecked) private var extras: Extras?
    @exclusivity(unchecked) private var unsent = UnsentBytes()

    /// Makes a stream over one descriptor, as a rule a socket. Called on the loop only.
    package init(_ descriptor: consuming Descriptor, peer: String, loop: EventLoop) {
        loop.preconditionIsCurrent()
        self.loop = loop
        core = loop.core
        peerDescription = peer
        inputChannel = Channel(descriptor)
        input = consume descriptor
        registration = core.register(self, descriptor: inputChannel.number)
    }

    /// Makes a stream over two descriptors. Both must be non-blocking, or sockets, or of a kind that never blocks. Called on
    /// the loop only.
    package init(input: consuming Descriptor, output: consuming Descriptor, peer: String, loop: EventLoop) {
        loop.preconditionIsCurrent()
        self.loop = loop
        core = loop.core
        peerDescription = peer
        inputChannel = Channel(input)
        self.input = consume input
        let extras = Extras(output: output)
        self.extras = extras
        registration = core.register(self, descriptor: inputChannel.number)
        extras.outputRegistration = core.register(self, descriptor: outputChannel.number)
    }

    package var peerUser: UInt32 {
        var user: UInt32 = 0
        return peerDescription == Listener.unixPeer && clinux_peer_user(inputChannel.number, &user) == 0
            ? user : getuid()
    }

    package func start() {
        loop.preconditionIsCurrent()
        state.start()
        updateInterest()
    }

    package var isReadingPaused: Bool {
        get { state.isReadingPaused }
        set {
            loop.preconditionIsCurrent()
            guard newValue != state.isReadingPaused else { return }
            state.isReadingPaused = newValue
            updateInterest()
        }
    }

    package func finish() {
        loop.preconditionIsCurrent()
        guard state.finish() else { return }
        updateInterest()
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

    func didBecomeReady(_ readiness: Interest) {
        if readiness.contains(.write) { writeUnsent() }
        // Writing may have closed the stream or paused it.
        if readiness.contains(.read) { read(upTo: StreamLimits.readBytesPerTurn, untilEmpty: false) }
    }

    func loopWillEnd() {
        close(error: nil)
    }

    /// Makes the poller watch for what the stream waits for.
    private func updateInterest() {
        guard !state.isClosed, let registration else { return }
        let reading: Interest = state.wantsToRead ? .read : []
        let writing: Interest = isOutputBlocked ? .write : []
        do {
            if !hasTwoDescriptors {
                try core.setInterest(reading.union(writing), of: registration)
            } else {
                try core.setInterest(reading, of: registration)
                if let output = extras?.outputRegistration { try core.setInterest(writing, of: output) }
            }
        } catch {
            close(error: error)
        }
    }

    private func close(error: SystemError?) {
        guard state.close() else { return }
        var error = error
        error?.lostBytes += unsent.count
        unsent.removeAll(pool: &core.buffers)
        withdraw()
        input = nil
        extras?.output = nil
        core.atEndOfTurn(.run { self.reportClose(error) })
    }

    private func withdraw() {
        if let registration { core.withdraw(registration) }
        registration = nil
        withdrawOutput()
    }

    private func withdrawOutput() {
        if let registration = extras?.outputRegistration { core.withdraw(registration) }
        extras?.outputRegistration = nil
    }

    private func reportClose(_ error: SystemError?) {
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: error)
        let whenClosed = whenClosed
        extras?.whenClosed = nil
        whenClosed?()
    }
}

// Reading.
extension DescriptorStream {
    package func readAvailable() {
        loop.preconditionIsCurrent()
        read(upTo: StreamLimits.drainBytes, untilEmpty: true)
    }

    /// Reads and delivers bytes until nothing is left, the limit is reached, or reading is paused.
    ///
    /// Without `untilEmpty`, a read that didn't fill the buffer is the last one: another would nearly always be a wasted
    /// system call, and the level-triggered poller reports bytes that are left.
    private func read(upTo limit: Int, untilEmpty: Bool) {
        guard !isDelivering else { return }
        core.withScratch { scratch in
            var left = limit
            while state.wantsToRead, left > 0 {
                switch inputChannel.read(into: scratch) {
                case .bytes(0):
                    reachEnd()
                case .bytes(let count):
                    left -= count
                    deliver(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
                    if !untilEmpty, count < scratch.count { return }
                case .wouldBlock:
                    return
                case .failed(let code):
                    didFailToRead(code)
                }
            }
        }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        isDelivering = true
        handler?.stream(self, didRead: bytes)
        isDelivering = false
    }

    private func reachEnd() {
        state.reachEnd()
        updateInterest()
        handler?.streamDidReachEnd(self)
        if state.isOver { close(error: outputError) }
    }

    /// Handles a failed read. The unsent bytes may still reach someone after a terminal hung up (EIO), or where the input has
    /// a descriptor of its own, so these are the end of the input. A socket that fails has failed both ways.
    private func didFailToRead(_ code: Int32) {
        if code == EIO || hasTwoDescriptors {
            reachEnd()
        } else {
            close(error: SystemError(code: code, call: "read", subject: peerDescription))
        }
    }
}

// Writing.
extension DescriptorStream {
    package var unsentByteCount: Int { unsent.count }

    package func write(_ body: (inout [UInt8]) -> Void) {
        loop.preconditionIsCurrent()
        guard state.takesBytes else { return }
        var buffer = unsent.takeBuffer(pool: &core.buffers)
        body(&buffer)
        unsent.giveBack(buffer)
        writeLater()
    }

    /// Has the stream write at the end of this turn, or, while the kernel takes nothing, as soon as it does again.
    private func writeLater() {
        guard !isUnflushed, !isOutputBlocked else { return }
        isUnflushed = true
        core.writeAtEndOfTurn(self)
    }

    var writesMuch: Bool { unsent.count > StreamLimits.longWriteBytes }

    func writeAtTurnEnd() {
        isUnflushed = false
        writeUnsent()
    }

    /// Writes with at most one system call. When the kernel takes less than everything it is full, and a second call would
    /// only confirm that.
    private func writeUnsent() {
        guard !state.isClosed else { return }
        if !unsent.isEmpty {
            if unsent.count > StreamLimits.lowWaterBytes { isAboveLowWater = true }
            switch unsent.withUnsafeBytes({ outputChannel.write($0) }) {
            case .bytes(let count):
                unsent.drop(count, pool: &core.buffers)
            case .wouldBlock:
                break
            case .failed(let code):
                return didFailToWrite(SystemError(code: code, call: "write", subject: peerDescription))
            }
        }
        let wasBlocked = isOutputBlocked
        isOutputBlocked = !unsent.isEmpty
        if !isOutputBlocked { didSendAll() }
        if isOutputBlocked != wasBlocked { updateInterest() }
        if isAboveLowWater { reportLowWater() }
    }

    private func didFailToWrite(_ error: SystemError) {
        guard state.phase == .open, handler?.stream(self, readsOnAfter: error) ?? false else {
            return close(error: error)
        }
        var error = error
        error.lostBytes = unsent.count
        outputError = error
        unsent.removeAll(pool: &core.buffers)
        isOutputBlocked = false
        endOutput()
        updateInterest()
    }

    private func didSendAll() {
        if state.phase == .finishing {
            closeAfterLastByte()
        } else if state.output == .finishing {
            endOutput()
        }
    }

    private func endOutput() {
        state.endOutput()
        if hasTwoDescriptors {
            withdrawOutput()
            extras?.output = nil
        } else if outputChannel.isSocket {
            shutdown(outputChannel.number, Int32(SHUT_WR))
        }
        if state.isOver { close(error: outputError) }
    }

    /// Closes the stream after its last byte. A socket stays open for a moment, unless the peer has ended (see
    /// `lingerDuration`).
    private func closeAfterLastByte() {
        if inputChannel.isSocket, !hasTwoDescriptors, !state.hasReachedEnd, let descriptor = input.take() {
            withdraw()
            LingeringSocket.close(descriptor, on: loop)
        }
        close(error: nil)
    }

    private func reportLowWater() {
        guard unsent.count <= StreamLimits.lowWaterBytes, state.phase == .open else { return }
        isAboveLowWater = false
        handler?.streamDidSend(self)
    }
}

// State that few streams need, so it isn't stored in each.
extension DescriptorStream {
    /// Rarely needed state: a separate output descriptor, an error to report later, an owner to call at the end.
    fileprivate final class Extras {
        /// The output's channel; nil when the input's descriptor is also the output's.
        let outputChannel: Channel?
        var output: Descriptor?
        @exclusivity(unchecked) var outputRegistration: RegistrationToken?
        var outputError: SystemError?
        var whenClosed: (() -> Void)?

        init() {
            outputChannel = nil
        }

        init(output: consuming Descriptor) {
            outputChannel = Channel(output)
            self.output = consume output
        }
    }

    private var hasTwoDescriptors: Bool { extras?.outputChannel != nil }

    private var outputChannel: Channel { extras?.outputChannel ?? inputChannel }

    /// The reason why the output ended early while reading went on.
    private var outputError: SystemError? {
        get { extras?.outputError }
        set { makeExtras().outputError = newValue }
    }

    /// Called once, after the handler's last call. Set by the stream's owner in this module.
    var whenClosed: (() -> Void)? {
        get { extras?.whenClosed }
        set { makeExtras().whenClosed = newValue }
    }

    private func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }
}
