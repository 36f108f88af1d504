/// A stream over one descriptor (a socket) or two (standard input and output).
///
/// Cost of a request and its answer, when both fit a buffer: one `epoll_wait`, one `read`, one `write`; the bytes are read to the
/// loop's own buffer, written to one that the loop lends, and not copied in between. An idle stream is this object, of 120
/// bytes, and a place in the loop's table. (Why `@exclusivity(unchecked)`: see `LoopCore`.)
package final class DescriptorStream: ByteStream, Registrant, TurnEndWriter {
    enum Phase {
        /// Reads and writes, each as long as it may.
        case open
        /// `finish` was called: sends what is unsent.
        case finishing
        /// The descriptors are closed; `didClose` has been called or will be, at the end of this turn.
        case closed
    }

    enum Output {
        case open
        /// `finishWriting` was called: sends what is unsent.
        case finishing
        case ended
    }

    package let loop: EventLoop
    @exclusivity(unchecked) package var handler: (any ByteStreamHandler)?
    package let peerDescription: String
    /// System calls that wrote, ever: the tests' proof that a turn writes once.
    @exclusivity(unchecked) package internal(set) var writeCallCount: UInt32 = 0

    // In an order that leaves no gaps: there may be ten thousand.
    let inputChannel: Channel
    @exclusivity(unchecked) var phase = Phase.open
    @exclusivity(unchecked) var outputState = Output.open
    var input: Descriptor?
    @exclusivity(unchecked) var isStarted = false
    @exclusivity(unchecked) var hasReachedEnd = false
    @exclusivity(unchecked) var registration: RegistrationToken?
    /// Inside a call of `didRead`.
    @exclusivity(unchecked) var isDelivering = false
    /// The kernel took less than it was given: it will say when it takes more.
    @exclusivity(unchecked) var isOutputBlocked = false
    /// In the loop's list of those that write at the end of this turn.
    @exclusivity(unchecked) var isUnflushed = false
    @exclusivity(unchecked) var isAboveLowWater = false
    @exclusivity(unchecked) package var isReadingPaused = false {
        didSet {
            loop.preconditionIsCurrent()
            if isReadingPaused != oldValue { updateInterest() }
        }
    }

    /// What few streams have.
    @exclusivity(unchecked) var extras: Extras?
    @exclusivity(unchecked) var unsent = UnsentBytes()

    var core: LoopCore { loop.core }

    /// Over one descriptor, a socket as a rule. On the loop only.
    package init(_ descriptor: consuming Descriptor, peer: String, loop: EventLoop) {
        loop.preconditionIsCurrent()
        self.loop = loop
        peerDescription = peer
        inputChannel = Channel(descriptor)
        input = consume descriptor
        registration = core.register(self, descriptor: inputChannel.number)
    }

    /// Over two. Both must be non-blocking, or sockets, or of a kind that never blocks. On the loop only.
    package init(input: consuming Descriptor, output: consuming Descriptor, peer: String, loop: EventLoop) {
        loop.preconditionIsCurrent()
        self.loop = loop
        peerDescription = peer
        inputChannel = Channel(input)
        self.input = consume input
        let extras = Extras(output: output)
        self.extras = extras
        registration = core.register(self, descriptor: inputChannel.number)
        extras.outputRegistration = core.register(self, descriptor: outputChannel.number)
    }

    package func start() {
        loop.preconditionIsCurrent()
        isStarted = true
        updateInterest()
    }

    package func finish() {
        loop.preconditionIsCurrent()
        guard phase == .open else { return }
        phase = .finishing
        updateInterest()
        writeLater()
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

    func didBecomeReady(_ readiness: Interest) {
        if readiness.contains(.write) { writeUnsent() }
        // Writing may have closed the stream or paused it.
        if readiness.contains(.read) { read(upTo: StreamLimits.readBytesPerTurn, untilEmpty: false) }
    }

    func loopWillEnd() {
        close(error: nil)
    }

    var wantsToRead: Bool { isStarted && !isReadingPaused && !hasReachedEnd && phase == .open }

    /// Makes the poller watch for what the stream's state asks for.
    func updateInterest() {
        guard phase != .closed, let registration else { return }
        let reading: Interest = wantsToRead ? .read : []
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

    func close(error: SystemError?) {
        guard phase != .closed else { return }
        phase = .closed
        unsent.removeAll(pool: &core.buffers)
        withdraw()
        input = nil
        extras?.output = nil
        core.atEndOfTurn(.run { self.tellClosed(error) })
    }

    func withdraw() {
        if let registration { core.withdraw(registration) }
        registration = nil
        withdrawOutput()
    }

    func withdrawOutput() {
        if let registration = extras?.outputRegistration { core.withdraw(registration) }
        extras?.outputRegistration = nil
    }

    private func tellClosed(_ error: SystemError?) {
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: error)
        let whenClosed = whenClosed
        extras?.whenClosed = nil
        whenClosed?()
    }
}
