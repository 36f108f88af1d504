package import JSON
import Queues

/// One side of a JSON-RPC connection without its I/O: bytes go in, requests and notifications come out, answers go
/// back.
///
/// It keeps the promises that concern all methods alike: the framing, which ids are in flight, one answer for each
/// request, one array for each batch, and an error for whatever arrives that isn't a valid message. It makes requests
/// too, and knows which are open.
///
/// Confined to its owner's loop. Each call takes the handler that it reports to, so a peer keeps no reference to its
/// owner.
package final class Peer {
    /// The framing that the first byte has chosen; nil before.
    package private(set) var framing: Framing?

    /// Cuts the input into frames, and calls the handler meanwhile. The handler asks for `heldBytes`, and calls `endInput`,
    /// only after that: at the end of a read (`endShare`) or of a turn, or by a timer.
    private var frames: FrameDecoder
    private let messages: MessageDecoder
    /// The requests that are owed an answer. Not checked for exclusivity, to save each request that time: they belong to one
    /// connection's loop, and nothing in `InFlight` calls out or drops a last reference.
    @exclusivity(unchecked) private var inFlight = InFlight()
    private var batches: [Int: Batch] = [:]
    private var lastBatch = 0
    /// Requests of this side that the other hasn't answered.
    private var asked: Set<RequestID> = []
    private var lastAsked: Int64 = 0

    /// How many bytes the answers to one batch may have before its further requests are refused. A request of a few bytes may
    /// be owed an answer of a megabyte, and no answer can leave before the last is there.
    private let batchBytes: Int
    /// How many whole messages have come. Not checked for exclusivity, to save each message that time: it is a number on one
    /// loop.
    @exclusivity(unchecked) package private(set) var messageCount = 0
    /// The values of the params of the message that is handled now, unless it is in a batch.
    package var notes: ValueNotes? { currentNotes }
    @exclusivity(unchecked) private var currentNotes: ValueNotes?
    /// Whether `trust` was called while a message is handled, when the frame decoder's limits can't be changed yet.
    private var becomesTrusted = false

    /// - Parameters:
    ///   - messages: its dialect holds for frames too.
    ///   - initialBytes: the longest message before `trust()`, in bytes, where that is less than `frames` allow.
    package init(
        frames: FrameDecoder.Limits = .init(), messages: MessageDecoder = MessageDecoder(), initialBytes: Int = .max
    ) {
        var initial = frames
        initial.messageBytes = min(frames.messageBytes, initialBytes)
        initial.isInitial = initialBytes < frames.messageBytes
        self.frames = FrameDecoder(limits: initial, dialect: messages.dialect)
        batchBytes = frames.messageBytes
        self.messages = messages
    }

    /// Allows messages of full length from now on, also those that were received but not taken yet.
    package func trust() {
        becomesTrusted = true
    }

    /// The bytes of messages that aren't whole, and of those that are kept while the peer is paused or yields.
    package var heldBytes: Int { frames.heldBytes + keptBytes }

    /// Whether the next byte begins a message.
    package var isBetweenMessages: Bool { frames.isBetweenMessages }

    /// Whether `resume` may have something to take.
    package var hasKept: Bool { hasKeptFrames || rest != nil || !kept.isEmpty }

    /// Takes no more bytes, and gives back the memory of those that are kept. Must not be called while a message is handled.
    package func endInput() {
        frames.end()
    }

    /// Sends an error that answers no request.
    package func refuse(_ error: RPCError, for handler: any PeerHandler) {
        refuse(error, id: nil, batch: nil, handler)
    }

    /// Whether every request has been answered.
    package var hasAnsweredAll: Bool { inFlight.isEmpty }

    /// Whether the peer has stopped taking messages; bytes that come meanwhile are kept. May be set while a message is handled.
    ///
    /// It is computed: other modules would check each access to a stored flag for exclusivity, once for each message.
    package var isPaused: Bool {
        get { holdsMessages }
        set { holdsMessages = newValue }
    }
    @exclusivity(unchecked) private var holdsMessages = false

    /// Whether the peer takes no messages until `resume`. Those that came are kept, also the rest of a batch. May be set while
    /// a message is handled, so that the work that this message began gets its turn before the next message.
    package var isYielding: Bool {
        get { yields }
        set { yields = newValue }
    }
    @exclusivity(unchecked) private var yields = false
    @exclusivity(unchecked) private var hasKeptFrames = false
    /// Whole messages that came while the peer yields, from a stream that keeps messages apart.
    @exclusivity(unchecked) private var kept = Deque<[UInt8]>()
    @exclusivity(unchecked) private var keptBytes = 0
    /// The messages of a batch that weren't taken yet.
    @exclusivity(unchecked) private var rest: RestOfBatch?

    /// Takes bytes that were read. Every message that they complete is handled before this returns, unless the peer is
    /// paused or yields.
    package func receive(_ bytes: UnsafeRawBufferPointer, for handler: any PeerHandler) {
        guard !isPaused, !isYielding else {
            hasKeptFrames = true
            return frames.append(bytes)
        }
        var rest = bytes
        while let message = frames.takeMessage(from: &rest) {
            take(message: message, handler)
            if rest.isEmpty || !takesMessages { break }
        }
        if takesMessages {
            // Also without bytes, since there may be some that were kept. Until these are taken they are `hasKept`.
            if rest.count == bytes.count || !rest.isEmpty { decode(rest, handler) } else { hasKeptFrames = false }
        } else {
            hasKeptFrames = !rest.isEmpty
            if hasKeptFrames { frames.append(rest) }
        }
        guard becomesTrusted else { return }
        becomesTrusted = false
        frames.limits.messageBytes = batchBytes
        frames.limits.isInitial = false
        resumeFrames(for: handler)
    }

    private var takesMessages: Bool { !isPaused && !isYielding && !becomesTrusted }

    private func decode(_ bytes: UnsafeRawBufferPointer, _ handler: any PeerHandler) {
        hasKeptFrames = frames.decode(
            bytes,
            while: {
                take($0, handler)
                return takesMessages
            })
    }

    /// Takes one whole message, from a stream that keeps messages apart. One that comes while the peer is paused is
    /// handled all the same: such a stream is paused itself.
    package func receive(message: UnsafeRawBufferPointer, for handler: any PeerHandler) {
        guard !isYielding else {
            keptBytes += message.count
            return kept.append(Array(message))
        }
        take(message: message, handler)
    }

    /// Goes on with the messages that were kept while the peer was paused or yielded.
    package func resume(for handler: any PeerHandler) {
        isYielding = false
        if let rest {
            self.rest = nil
            take(rest, handler)
        }
        while !isYielding, !isPaused, let message = kept.popFirst() {
            keptBytes -= message.count
            message.withUnsafeBytes { take(message: $0, handler) }
        }
        resumeFrames(for: handler)
    }

    private func resumeFrames(for handler: any PeerHandler) {
        guard !isPaused, !isYielding else { return }
        receive(UnsafeRawBufferPointer(start: nil, count: 0), for: handler)
    }

    /// Takes the end of the input, with what is left of it.
    package func receiveEnd(for handler: any PeerHandler) {
        frames.finish { take($0, handler) }
    }

    /// Whether the answer to `id` is still owed.
    package func isInFlight(_ id: RequestID) -> Bool {
        inFlight.contains(id)
    }

    /// Answers `call` with the value that `result` writes. An answer to a call that was answered before is dropped.
    package func answer(_ call: Call, for handler: any PeerHandler, result: (inout JSONWriter) -> Void) {
        guard inFlight.end(call.id) else { return }
        deliver(to: call.batch, handler) { MessageEncoder.response(call.id, into: &$0, result: result) }
    }

    /// Answers `call` with a value whose text is long. An answer to a call that was answered before is dropped.
    package func answer(_ call: Call, for handler: any PeerHandler, longResult result: LongMessage) {
        guard inFlight.end(call.id) else { return }
        var message = LongMessage()
        ScratchWriter.with { writer in
            MessageEncoder.beginResponse(call.id, into: &writer)
            writer.withUnsafeBytes { message.append($0) }
        }
        message.append(result)
        message.append("}")
        if let batch = call.batch { collect(message, in: batch, handler) } else { send(message, handler) }
    }

    /// Answers `call` with an error. An answer to a call that was answered before is dropped.
    package func answer(_ call: Call, for handler: any PeerHandler, error: RPCError) {
        guard inFlight.end(call.id) else { return }
        deliver(to: call.batch, handler) { MessageEncoder.response(call.id, into: &$0, error: error) }
    }

    /// Notes that `call`, which is in no batch, was answered by a message that didn't pass through this peer.
    package func didPassAnswer(to call: Call) {
        _ = inFlight.end(call.id)
    }

    /// Answers all that is owed with one error, for a connection that ends.
    package func answerAll(for handler: any PeerHandler, error: RPCError) {
        for call in inFlight.calls { answer(call, for: handler, error: error) }
    }

    /// Notes the work that the answer to `call` waits for. Does nothing when `call` has been answered.
    package func note(_ work: PendingWork, for call: Call) {
        inFlight.note(work, for: call.id)
    }

    /// Returns the work that the answer to `id` waits for; nil when `id` isn't in flight, or nothing was noted.
    package func work(for id: RequestID) -> PendingWork? {
        inFlight.work(for: id)
    }

    /// The noted work of all requests that aren't answered.
    package var pendingWork: [PendingWork] {
        inFlight.works
    }

    /// Returns how many bytes one more answer in a batch may have, so that all its answers are no longer than a message. The
    /// first may have any length.
    package func room(in batch: Int) -> Int {
        guard let bytes = batches[batch]?.bytes, bytes > 0 else { return .max }
        return max(0, batchBytes - bytes)
    }

    /// Whether the answers to `batch` aren't all there yet.
    package func isCollecting(_ batch: Int) -> Bool {
        batches[batch] != nil
    }

    /// Sends a request, and returns its id: 1, 2, 3, … The answer comes by `peer(_:didReceive:to:)`.
    ///
    /// - Parameter params: writes the members of `params`.
    package func ask(
        _ method: StaticString, for handler: any PeerHandler, params: (inout JSONWriter) -> Void
    ) -> RequestID {
        lastAsked += 1
        let id = RequestID(lastAsked)
        asked.insert(id)
        deliver(to: nil, handler) { MessageEncoder.request(id, method, into: &$0, params: params) }
        return id
    }

    /// - Parameter params: writes the members of `params`.
    package func notify(
        _ method: StaticString, for handler: any PeerHandler, params: (inout JSONWriter) -> Void
    ) {
        deliver(to: nil, handler) { MessageEncoder.notification(method, into: &$0, params: params) }
    }

    private func take(_ frame: Frame, _ handler: any PeerHandler) {
        switch frame {
        case .detected(let framing):
            self.framing = framing
        case .message(let bytes):
            take(message: bytes, handler)
        case .unreadable(let error):
            refuse(error, id: nil, batch: nil, handler)
        case .failure(let error):
            refuse(error, id: nil, batch: nil, handler)
            handler.peerDidLoseFraming(self)
        }
    }

    private func take(message bytes: UnsafeRawBufferPointer, _ handler: any PeerHandler) {
        messageCount &+= 1
        if isBatch(bytes) { return takeBatch(bytes, handler) }
        ValueNotes.lend { notes in
            currentNotes = notes
            take(messages.decode(bytes, notes: notes), handler)
            currentNotes = nil
        }
    }

    private func isBatch(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Nearly every message begins with its object, without white space.
        if bytes.first == UInt8(ascii: "{") { return false }
        return bytes.first { $0 > 0x20 } == UInt8(ascii: "[")
    }

    /// Takes a batch from a copy of its bytes, since the peer may yield in the middle. Never inlined, to keep other messages
    /// fast.
    @inline(never)
    private func takeBatch(_ bytes: UnsafeRawBufferPointer, _ handler: any PeerHandler) {
        let text = BatchText(bytes)
        take(messages.decode(text.bytes), of: text, handler)
    }

    private func take(
        _ content: MessageDecoder.Content, of text: BatchText? = nil, _ handler: any PeerHandler
    ) {
        switch content {
        case .message(let message): take(message, batch: nil, handler)
        case .unreadable(let error): refuse(error, id: nil, batch: nil, handler)
        case .batch(let messages): take(messages, of: text, handler)
        }
    }

    private func take(_ messages: [Message], of text: BatchText?, _ handler: any PeerHandler) {
        lastBatch += 1
        let owed = messages.count { $0.isOwedAnAnswer }
        // Made before the first message is handled, since that one may be answered at once.
        if owed > 0 { batches[lastBatch] = Batch(owed: owed) }
        take(RestOfBatch(text: text, messages: messages[...], number: lastBatch), handler)
    }

    private func take(_ batch: RestOfBatch, _ handler: any PeerHandler) {
        var batch = batch
        while let message = batch.messages.popFirst() {
            withExtendedLifetime(batch.text) { take(message, batch: batch.number, handler) }
            if isYielding, !batch.messages.isEmpty { return rest = batch }
        }
    }

    private func take(_ message: Message, batch: Int?, _ handler: any PeerHandler) {
        switch message {
        case .request(let id, let method, let params):
            take(Call(id: id, batch: batch), method, params, handler)
        case .notification(let method, let params):
            handler.peer(self, didReceiveNotification: method, params: params)
        case .cancellation(let id):
            handler.peer(self, didReceiveCancellationOf: id)
        case .response(let id?, let response) where asked.remove(id) != nil:
            handler.peer(self, didReceive: response, to: id)
        case .response(let id, _):
            let name = id.map { "\($0)" } ?? "no id"
            handler.peer(self, didIgnore: "a response (\(name)) to nothing that was asked")
        case .invalid(let error, let id):
            // An id that is in flight belongs to another call, which this answer must not complete.
            let id = id.flatMap { isInFlight($0) ? nil : $0 }
            refuse(error, id: id, batch: batch, handler)
        }
    }

    private func take(_ call: Call, _ method: MethodName, _ params: JSONValue?, _ handler: any PeerHandler) {
        guard inFlight.begin(call) else {
            // With the id itself the answer would complete the client's first call.
            let reason = "the id \(call.id) is in flight already; use another for each request"
            return refuse(RPCError(.invalidRequest, reason), id: nil, batch: call.batch, handler)
        }
        if let batch = call.batch, let bytes = batches[batch]?.bytes, bytes > batchBytes {
            let reason = "the answers before it in this batch are longer than a message; send it in another batch"
            let error = messages.dialect.limitExceeded("messageBytes", reason)
            handler.peer(self, didRefuse: error)
            return answer(call, for: handler, error: error)
        }
        handler.peer(self, didReceiveRequest: method, params: params, call: call)
    }

    private func refuse(_ error: RPCError, id: RequestID?, batch: Int?, _ handler: any PeerHandler) {
        handler.peer(self, didRefuse: error)
        deliver(to: batch, handler) { MessageEncoder.response(id, into: &$0, error: error) }
    }

    /// Sends the message that `write` writes, or adds it to the other answers of its batch.
    private func deliver(to batch: Int?, _ handler: any PeerHandler, _ write: (inout JSONWriter) -> Void) {
        ScratchWriter.with { writer in
            write(&writer)
            guard let batch else { return writer.withUnsafeBytes { handler.peer(self, send: $0) } }
            var answer = LongMessage()
            writer.withUnsafeBytes { answer.append($0) }
            collect(answer, in: batch, handler)
        }
    }

    private func collect(_ answer: LongMessage, in batch: Int, _ handler: any PeerHandler) {
        guard let array = batches[batch]?.add(answer) else { return }
        batches[batch] = nil
        send(array, handler)
        handler.peerDidSendBatch(self, batch)
    }

    private func send(_ message: LongMessage, _ handler: any PeerHandler) {
        guard let text = message.onlyPart else { return handler.peer(self, send: message) }
        text.withUnsafeBytes { handler.peer(self, send: $0) }
    }
}

extension Message {
    /// Whether this message has a place in the array that answers its batch.
    package var isOwedAnAnswer: Bool {
        switch self {
        case .request, .invalid: true
        case .notification, .cancellation, .response: false
        }
    }
}
