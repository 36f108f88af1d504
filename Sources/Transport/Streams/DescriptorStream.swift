/// A stream over one descriptor (a socket) or two (standard input and output).
///
/// Cost of a request and its answer, when both fit a buffer: one `epoll_wait`, one `read`, one `write`; the bytes are read to the
/// loop's own buffer, written to one that the loop lends, and not copied in between. An idle stream is this object and a
/// place in the loop's table.
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
    package var handler: (any ByteStreamHandler)?
    package let peerDescription: String
    /// System calls that wrote, ever: the tests' proof that a turn writes once.
    package internal(set) var writeCallCount = 0

    /// For the stream's owner in this module: called once, after the handler's last call.
    var whenClosed: (() -> Void)?

    let core: LoopCore
    let inputChannel: Channel
    let outputChannel: Channel
    var input: Descriptor?
    /// Nil: the input's descriptor is both.
    var output: Descriptor?
    let hasTwoDescriptors: Bool
    var inputRegistration: RegistrationToken?
    /// The same as the input's when there is one descriptor.
    var outputRegistration: RegistrationToken?

    var phase = Phase.open
    var outputState = Output.open
    /// Why the output ended before its time, when reading went on.
    var outputError: SystemError?
    var unsent = UnsentBytes()
    var isStarted = false
    var hasReachedEnd = false
    /// Inside a call of `didRead`.
    var isDelivering = false
    /// The kernel took less than it was given: it will say when it takes more.
    var isOutputBlocked = false
    /// In the loop's list of those that write at the end of this turn.
    var isUnflushed = false
    var isAboveLowWater = false

    package var isReadingPaused = false {
        didSet {
            loop.preconditionIsCurrent()
            if isReadingPaused != oldValue { updateInterest() }
        }
    }

    /// Over one descriptor, a socket as a rule. On the loop only.
    package init(_ descriptor: consuming Descriptor, peer: String, loop: EventLoop) {
        loop.preconditionIsCurrent()
        self.loop = loop
        core = loop.core
        peerDescription = peer
        inputChannel = Channel(descriptor)
        outputChannel = inputChannel
        hasTwoDescriptors = false
        let number = descriptor.number
        input = consume descriptor
        inputRegistration = core.register(self, descriptor: number)
        outputRegistration = inputRegistration
    }

    /// Over two. Both must be non-blocking, or sockets, or of a kind that never blocks. On the loop only.
    package init(input: consuming Descriptor, output: consuming Descriptor, peer: String, loop: EventLoop) {
        loop.preconditionIsCurrent()
        self.loop = loop
        core = loop.core
        peerDescription = peer
        inputChannel = Channel(input)
        outputChannel = Channel(output)
        hasTwoDescriptors = true
        self.input = consume input
        self.output = consume output
        inputRegistration = core.register(self, descriptor: inputChannel.number)
        outputRegistration = core.register(self, descriptor: outputChannel.number)
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
        guard phase != .closed, let inputRegistration, let outputRegistration else { return }
        let reading: Interest = wantsToRead ? .read : []
        let writing: Interest = isOutputBlocked ? .write : []
        do {
            if hasTwoDescriptors {
                try core.setInterest(reading, of: inputRegistration)
                try core.setInterest(writing, of: outputRegistration)
            } else {
                try core.setInterest(reading.union(writing), of: inputRegistration)
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
        output = nil
        core.endOfTurn.append { self.tellClosed(error) }
    }

    func withdraw() {
        if let inputRegistration { core.withdraw(inputRegistration) }
        if hasTwoDescriptors, let outputRegistration { core.withdraw(outputRegistration) }
        inputRegistration = nil
        outputRegistration = nil
    }

    private func tellClosed(_ error: SystemError?) {
        let handler = handler
        self.handler = nil
        handler?.stream(self, didClose: error)
        whenClosed?()
        whenClosed = nil
    }
}
