import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// One client of a server with `--isolate`: it is let in here, and from then on its messages are relayed to the process that
/// hosts its sessions, and that one's to the client, unchanged and in order. A side that doesn't read stops the other. Of long
/// messages to a client a piece is held; those that a process doesn't read count as unfinished input.
///
/// When that process is lost, the relay answers and tells the client what the process can't any more, and stays: the next
/// request is for another process, which is initialized as the first one was. Confined to the client's loop; the streams keep
/// it until they are closed.
final class Relay {
    private enum Phase {
        /// Messages are judged here, until one initializes.
        case login
        /// Messages are relayed.
        case open
        /// Nothing is read: the far side has ended, and its process is about to be reported; or a wrong token to be answered.
        case lost
        /// Nothing is taken any more. Output that waits is written, within the grace period.
        case ending
    }

    let core: ServerCore
    private let isolation: Isolation
    private let client: ClientChannel
    private let decoder: MessageDecoder
    /// The messages up to a successful `initialize`, and notifications of this side.
    private let peer: Peer
    /// In the core's list.
    private let index: Int
    private let onClose: (Int32) -> Void
    private var phase = Phase.login
    private var intake = Intake()
    private var logged = LineCount()
    private var graceTimer: LoopTimer?

    /// Who the client is, once it has initialized.
    private var identity: RelayedIdentity?
    private var server: ProcessChannel?
    private var child: IsolatedChild?
    private var ledger: RelayLedger
    /// The next message of the far side answers an `initialize` that isn't the client's.
    private var skipsAnswer = false
    /// The far side may end: it was told to, or its client ends.
    private var expectsEnd = false

    init(
        _ stream: any ByteStream, core: ServerCore, isolation: Isolation, index: Int, onClose: @escaping (Int32) -> Void
    ) {
        self.onClose = onClose
        self.core = core
        self.isolation = isolation
        self.index = index
        let limits = core.limits
        decoder = MessageDecoder(
            maximumBatchCount: limits.batchMessages, maximumDepth: limits.nesting,
            maximumValues: limits.messageValues, maximumIDBytes: limits.idBytes, dialect: .viewModels)
        peer = Peer(messages: decoder)
        // A view model's process may send longer ones, such as the answers to a batch, and many values in one.
        ledger = RelayLedger(
            MessageDecoder(
                maximumBatchCount: .max, maximumDepth: limits.nesting + 16, maximumIDBytes: limits.idBytes,
                dialect: .viewModels))
        var frames = FrameDecoder.Limits(messageBytes: limits.messageBytes, headerBytes: limits.headerBytes)
        frames.isInitial = limits.initialBytes < limits.messageBytes
        frames.messageBytes = min(limits.initialBytes, limits.messageBytes)
        client = ClientChannel(stream, frames)
    }

    private var loop: EventLoop { client.stream.loop }

    /// Starts reading. Once, on the loop.
    func begin(isPatient: Bool) {
        intake.begin(self, isPatient: isPatient)
        client.start(for: self)
    }

    @discardableResult
    private func schedule(after time: Duration, _ body: @escaping @Sendable (Relay) -> Void) -> LoopTimer {
        loop.schedule(after: time) { [bound = LoopBound(self, loop: loop)] in body(bound.value) }
    }

    private func log(_ level: Log.Level, _ message: @autoclosure () -> String) {
        core.log.log(level, of: client.stream.peerDescription, &logged, message())
    }

    /// An error that the client is sent: what exceeds a limit goes to the log, and all of them are counted.
    private func note(_ error: RPCError) {
        if let limit = core.count(error) { log(.warning, "\(error.message) (\(limit))") }
    }
}

/// Relaying.
extension Relay {
    private func takeFromClient(_ message: UnsafeRawBufferPointer) {
        switch phase {
        case .login:
            peer.receive(message: message, for: self)
            if phase == .open { forward(begun: message) }
        case .open: forward(message)
        case .lost, .ending: break
        }
    }

    /// Sends the message that has initialized to the far side, without its token, which is none of that side's business.
    private func forward(begun message: UnsafeRawBufferPointer) {
        let message = InitializingMessage(message, decoder)
        identity?.params = message.params ?? .emptyObject
        message.text.withUnsafeBytes { forward($0) }
    }

    private func forward(_ message: UnsafeRawBufferPointer) {
        let content = decoder.decode(message)
        if server == nil {
            // No process is started for a notification.
            guard content.isOwedAnAnswer else { return content.exits ? finish() : () }
            do throws(RPCError) {
                try connect()
            } catch {
                return refuse(content, error)
            }
        }
        ledger.didForward(content)
        if content.setsTrace { identity?.keep(trace: message) }
        guard let server else { return }
        server.send(message)
        expectsEnd = expectsEnd || ledger.hasExited
        guard ledger.hasExited || server.isFull else { return }
        updateReading()
        // Not while the input that it came in counts, too.
        loop.atEndOfTurn { [self] in noteWaiting() }
    }

    private func noteWaiting() {
        if phase != .ending { intake.noteWaiting(server?.waitingBytes ?? 0, self) }
    }

    /// What waits for one side isn't read of the other; and while answers of this side wait, nothing that asks for more.
    private func updateReading() {
        guard phase != .ending else { return }
        server?.stream.isReadingPaused = client.isFull
        client.isPaused = phase == .lost || expectsEnd || client.hasBacklog || server?.isFull ?? false
    }

    /// Answers a message that can't be relayed.
    private func refuse(_ content: MessageDecoder.Content, _ error: RPCError) {
        var asked = RelayLedger(decoder)
        asked.didForward(content)
        for answer in asked.takeDebts().answers { send(error, to: answer) }
    }

    private func send(_ error: RPCError, to owed: RelayLedger.OwedAnswer) {
        for _ in owed.ids { note(error) }
        ScratchWriter.with { writer in
            owed.write(error, to: &writer)
            writer.withUnsafeBytes { answer($0) }
        }
    }

    /// Sends a message of this side's own.
    private func answer(_ message: UnsafeRawBufferPointer) {
        client.send(message)
        if client.hasBacklog { updateReading() }
    }

    private func takeFromServer(_ piece: MessagePiece) {
        guard phase != .ending else { return }
        if skipsAnswer {
            skipsAnswer = !piece.isLast
            return
        }
        guard ledger.didReturn(piece) else { return refuseServer() }
        client.send(piece)
        if client.isFull || (piece.isLast && !piece.isWhole) { updateReading() }
    }

    private func refuseServer() { child?.kill("it sent something that is no message") }
}

/// The far side.
extension Relay {
    /// - Throws: as `Isolation.connect`.
    private func connect() throws(RPCError) {
        guard let identity else { return }
        let relayed = RelayedClient(
            peer: client.stream.peerDescription, principal: identity.principal, lastView: ledger.lastView)
        let (child, stream) = try isolation.connect(to: identity.name, as: relayed, on: loop)
        let limits = core.limits
        // The answers to a batch may be twice as long as a message.
        let server = ProcessChannel(stream, messageBytes: 2 * limits.messageBytes + limits.initialBytes)
        self.child = child
        self.server = server
        server.start(for: self)
        skipsAnswer = identity.introduce(to: server)
    }

    private func serverDidEnd() {
        guard let server else { return }
        server.stream.close()
        self.server = nil
        noteWaiting()
        guard phase != .ending else { return }
        let isOrderly = ledger.hasExited || (expectsEnd && !ledger.owesAnswers)
        guard !isOrderly, let child else { return finish() }
        phase = .lost
        updateReading()
        let bound = LoopBound(self, loop: loop)
        child.whenEnded { [loop] ending in
            loop.execute { bound.value.fail("the process of this client's sessions \(ending)", of: child) }
        }
        // The process is there, and only this connection to it is gone.
        schedule(after: core.limits.drainGrace) { relay in
            relay.fail("the process of this client's sessions gave up the connection", of: child)
        }
    }

    /// Tells the client what the far side would have, and goes on without it. In the middle of a message nothing can be told:
    /// the client is cut off, and comes back as after any cut.
    private func fail(_ reason: String, of child: IsolatedChild) {
        guard phase == .lost, self.child === child else { return }
        leaveChild()
        phase = .open
        let debts = ledger.takeDebts()
        guard !client.isInMessage else {
            log(.info, "closed in the middle of a message: \(reason)")
            return finish()
        }
        let error = RPCError(.viewModelFailed, "\(reason); what it had not answered may have been done in part")
        for answer in debts.answers { send(error, to: answer) }
        for token in debts.tokens { peer.notify(Progress.self, .init(token: token, value: .end()), for: self) }
        if !debts.views.isEmpty {
            let message = "\(reason); its sessions ended with it, and new ones can be opened"
            peer.notify(LogMessage.self, .init(type: .error, message: message), for: self)
        }
        for view in debts.views {
            peer.notify(SessionClosed.self, .init(session: .init(view), reason: .failed), for: self)
        }
        guard !debts.includesInitialize, !expectsEnd else { return finish() }
        updateReading()
    }

    private func leaveChild() {
        guard let child else { return }
        self.child = nil
        isolation.leave(child, hasHadViews: ledger.hasHadViews, on: loop)
    }
}

/// Its end.
extension Relay {
    /// Has what was read answered, as far as that goes. `whenRead` is called once the far side has all of it.
    func drain(whenRead: @escaping @Sendable () -> Void) {
        if phase == .login || phase == .open { client.stream.readAvailable() }
        expectsEnd = true
        updateReading()
        if server == nil, phase != .lost { finish() }
        // Streams write when the work for the end of a turn is done.
        loop.atEndOfTurn { [loop] in loop.atEndOfTurn { whenRead() } }
    }

    /// Writes what there is, within the grace period, then closes.
    private func finish() {
        guard phase != .ending else { return }
        phase = .ending
        client.stream.finish()
        server?.end(within: core.limits.drainGrace)
        graceTimer = schedule(after: core.limits.drainGrace) { $0.client.stream.close() }
    }
}

extension Relay: ClientChannelOwner {
    func channel(_ channel: ClientChannel, didReceive message: UnsafeRawBufferPointer) {
        takeFromClient(message)
    }

    func channel(_ channel: ClientChannel, cannotRead error: RPCError, endsInput: Bool) {
        guard phase != .ending else { return }
        peer.refuse(error, for: self)
        if endsInput { finish() }
    }

    func channelDidRead(_ channel: ClientChannel) {
        guard phase != .ending, !client.stream.carriesMessages else { return }
        if intake.isNoting || !client.isBetweenMessages { intake.note(self) }
    }

    func channelDidReachEnd(_ channel: ClientChannel) {
        expectsEnd = true
        guard let server else { return phase == .lost ? () : finish() }
        server.stream.finishWriting()
        // The far side gives up after one grace period, unless it hangs.
        schedule(after: core.limits.drainGrace * 2) { $0.finish() }
    }

    func channelDidSend(_ channel: ClientChannel) {
        updateReading()
    }

    func channel(_ channel: ClientChannel, didClose error: SystemError?) {
        phase = .ending
        if let error { log(error.isDeparture ? .info : .error, "closed: \(error)") }
        core.log.end(of: client.stream.peerDescription, &logged)
        graceTimer?.cancel()
        intake.end()
        // Its guard has this relay.
        intake = Intake()
        server?.end(within: core.limits.drainGrace)
        leaveChild()
        core.leave(index)
        isolation.remove(self)
        onClose(0)
    }
}

extension Relay: ProcessChannelOwner {
    func channel(_ channel: ProcessChannel, didReceive piece: MessagePiece) {
        if channel === server { takeFromServer(piece) }
    }

    func channelReadNoMessage(_ channel: ProcessChannel) {
        if channel === server { refuseServer() }
    }

    func channelDidReachEnd(_ channel: ProcessChannel) {
        if channel === server { serverDidEnd() }
    }

    func channelDidSend(_ channel: ProcessChannel) {
        guard channel === server else { return }
        noteWaiting()
        updateReading()
    }
}

/// Letting the client in.
extension Relay: PeerHandler {
    private func letIn(_ params: Initialize.Params, _ delay: inout Duration) throws(RPCError) {
        let principal = try core.judge(params, of: client.stream, &delay)
        if let principal { try core.count(index, for: Owner(principal: principal)) }
        identity = RelayedIdentity(principal: principal, clientName: params.clientInfo?.name)
        try connect()
        phase = .open
        client.setMessageBytes(core.limits.messageBytes)
        intake.trust(core.limits)
        log(.info, "initialized; process \(child?.process.processID ?? 0) serves \(identity?.name ?? "")")
    }

    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call) {
        guard phase == .login else { return }
        var delay = Duration.zero
        do throws(RPCError) {
            guard let known = Methods.named(method) else { throw ConnectionLife().refusalOfUnknown("\(method)") }
            if case .refused(let error) = ConnectionLife().judgeRequest(known) { throw error }
            try letIn(try Initialize.params(Params(params)), &delay)
        } catch {
            note(error)
            guard delay > .zero else { return answer(call, error) }
            phase = .lost
            graceTimer = schedule(after: delay) { [error] in $0.answer(call, error) }
        }
    }

    private func answer(_ call: Call, _ error: RPCError) {
        peer.answer(call, for: self, error: error)
        if error.code != .invalidParams, error.code != .serverNotInitialized { finish() }
    }

    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?) {
        if phase == .login, method == Exit.name { finish() }
    }

    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID) {}
    func peer(_ peer: Peer, didIgnore reason: String) { log(.warning, reason) }
    func peer(_ peer: Peer, didRefuse error: RPCError) { note(error) }
    func peerDidLoseFraming(_ peer: Peer) {}
    func peerDidSendBatch(_ peer: Peer, _ batch: Int) {}
    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer) { answer(message) }
}

extension Relay: IntakeOwner {
    var stream: any ByteStream { client.stream }
    var unfinishedInput: UnfinishedInput {
        UnfinishedInput(
            heldBytes: client.heldBytes, isBetweenMessages: client.isBetweenMessages,
            isRead: !client.isPaused, messageCount: client.messageCount)
    }

    var refusal: @Sendable (RPCError) -> Void {
        let bound = LoopBound(self, loop: loop)
        return { error in bound.value.refuse(error) }
    }

    private func refuse(_ error: RPCError) {
        if phase != .ending { peer.refuse(error, for: self) }
        finish()
    }
}
