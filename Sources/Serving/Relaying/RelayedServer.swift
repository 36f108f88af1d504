import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// A channel to another server, or to the client's own process, which serves a client of this server as if the client had
/// connected there.
///
/// Confined to the connection's loop. The stream retains it until the stream is closed.
final class RelayedServer {
    /// The outcome of a request that was sent on. Borrows the message's bytes.
    enum Outcome {
        case result(JSONValue)
        /// A long result, which passes to the client as it comes; `view` is the number that it names first.
        case passes(view: Int?)
        case error(RPCError)
        /// No answer will come, as the channel is lost. Nil where the client learns what was done when it comes back.
        case lost(RPCError?)
    }

    private struct Request {
        /// The request's number, by which it is cancelled.
        let number: Int
        /// Whether a long result may pass to the client without being read here.
        let passes: Bool
        let then: (Outcome) -> Void
    }

    /// The messages about views whose attachment the client isn't told of before the rest of its batch.
    private struct Held {
        /// The batch of each view's attachment, by the view's number.
        var batches: [Int: Int] = [:]
        var messages: [(view: Int, text: [UInt8])] = []
        var bytes = 0
    }

    /// The length in bytes from which on a message is written to the client in pieces.
    static let longBytes = 64 << 10
    /// The most bytes of messages that may wait for the answers to a batch.
    private static let heldBytes = 4 << 20

    private let stream: any ByteStream
    /// Puts together messages that come in parts; nil where they come whole.
    private var messages: ProcessMessages?
    private weak var connection: Connection?
    private weak var views: RemoteViews?
    private let decoder: MessageDecoder
    private var requests: [RequestID: Request] = [:]
    private var lastNumber = 0
    private var held = Held()
    /// The tokens of progress that has begun and not ended, in the order in which it began.
    private(set) var tokens: [ProgressToken] = []
    /// Whether the client's messages are held until the other server has read the earlier ones.
    private var holdsClient = false
    /// Whether the client sends nothing more. The other server closes the channel when all is done.
    private(set) var hasFinished = false
    private var isClosed = false
    /// Whether `loseRequests` was called.
    private var isLost = false

    /// Starts the stream. Called on the connection's loop.
    ///
    /// - Parameter partBytes: the longest message in bytes of the client's process, whose messages come in parts; nil for
    ///   another server, whose snapshots have no bound.
    init(_ stream: LinkStream, partBytes: Int?, of connection: Connection, _ views: RemoteViews) {
        self.stream = stream
        self.connection = connection
        self.views = views
        // The other server may send longer messages than a client may, with many values in one.
        decoder = MessageDecoder(
            maximumBatchCount: .max, maximumDepth: connection.core.limits.nesting + 16, maximumIDBytes: .max,
            dialect: .viewModels)
        messages = partBytes.map { ProcessMessages(maximumBytes: $0) }
        stream.messageBytes = .max
        stream.handler = self
        if messages != nil { stream.takePart = { [self] in take($0, isLast: $1) } }
        stream.start()
    }

    /// Sends a client's message.
    ///
    /// - Parameters:
    ///   - params: the text of an object, which is borrowed for the call; nil for an empty object.
    ///   - call: nil for a notification. Where the client cancels the call, that is sent on, too.
    ///   - passes: whether a long result may pass to the client without being read here.
    ///   - then: called once with the outcome; for a notification, only where the channel is lost already.
    func send(
        _ method: StaticString, _ params: UnsafeRawBufferPointer?, _ call: Call?, passes: Bool = false,
        then: @escaping (Outcome) -> Void
    ) {
        guard !isLost else { return then(.lost(nil)) }
        if let call {
            lastNumber += 1
            requests[call.id] = Request(number: lastNumber, passes: passes, then: then)
            connection?.peer.note(PendingWork(self, lastNumber, outlivesConnection: true), for: call)
        }
        guard !isClosed else { return }
        write(params) { writer in
            if let call {
                writer.key("id")
                call.id.write(to: &writer)
            }
            writer.key("method")
            writer.string(method)
        }
        guard isFull, !holdsClient, let connection else { return }
        holdsClient = true
        connection.holdMessages()
        // At the end of the turn, when the input that the message came in isn't counted any more.
        connection.loop.atEndOfTurn { [weak views] in views?.noteWaiting() }
    }

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - params: written last, and without a copy, as they may be long.
    ///   - members: writes the other members.
    private func write(_ params: UnsafeRawBufferPointer?, _ members: (inout JSONWriter) -> Void) {
        ScratchWriter.with { writer in
            writer.beginObject()
            writer.key("jsonrpc")
            writer.string("2.0")
            members(&writer)
            writer.literal(#","params":"#)
            writer.withUnsafeBytes { head in
                stream.write { output in
                    output.append(contentsOf: head)
                    if let params {
                        output.append(contentsOf: params)
                    } else {
                        output.append(contentsOf: [0x7B, 0x7D])
                    }
                    output.append(UInt8(ascii: "}"))
                }
            }
        }
    }

    /// Detaches a view that the client isn't told of. Messages about the view are still held until the answers to its batch
    /// are sent.
    func detach(_ view: Int) {
        let call = Call(id: RequestID(.min + Int64(view)), batch: nil)
        Array("{\"session\":\(view)}".utf8).withUnsafeBytes { send(SessionDetach.name, $0, call) { _ in } }
    }

    private var isFull: Bool { stream.unsentByteCount > StreamLimits.lowWaterBytes }

    /// The bytes that the other server hasn't read, where they are many; otherwise 0.
    var waitingBytes: Int { isFull ? stream.unsentByteCount : 0 }

    /// Holds messages about a view back until the answers to a batch are sent.
    func hold(_ view: Int, until batch: Int) {
        held.batches[view] = batch
    }

    func didSend(batch: Int) {
        guard held.batches.values.contains(batch) else { return }
        held.batches = held.batches.filter { $0.value != batch }
        let messages = held.messages
        (held.messages, held.bytes) = ([], 0)
        for (view, text) in messages {
            if held.batches[view] != nil { hold(text, of: view) } else { text.withUnsafeBytes { deliver($0) } }
        }
    }

    private func hold(_ text: [UInt8], of view: Int) {
        held.messages.append((view, text))
        held.bytes += text.count
        // The client comes back, and its views go on where they were.
        if held.bytes > Self.heldBytes { connection?.loseSession() }
    }

    /// Goes on reading from the other server.
    func resume() {
        guard stream.isReadingPaused else { return }
        stream.isReadingPaused = false
        // A long message may have waited until the client was ready.
        if messages?.hasBegun ?? false { take(UnsafeRawBufferPointer(start: nil, count: 0), isLast: false) }
    }

    /// Notes that the client sends nothing more. The channel closes once what the client has sent is done.
    func finish() {
        guard !isClosed, !hasFinished else { return }
        hasFinished = true
        stream.finishWriting()
    }

    /// Tells the other server that the client exits. That server sends what is left to send, and closes the channel.
    func exit() {
        write(nil) { writer in
            writer.key("method")
            writer.string(Exit.name)
        }
        finish()
    }

    /// Ends the channel, as the client is gone. The other server learns of the end after everything that was sent to it.
    /// Where much is unread, that server has shown that it doesn't read, and the stream is closed at once.
    func close(within time: Duration) {
        guard !isClosed else { return }
        isClosed = true
        if isFull { stream.close() } else { stream.finish() }
        guard stream.unsentByteCount > 0 else { return }
        let bound = LoopBound(self, loop: stream.loop)
        stream.loop.schedule(after: time) { bound.value.stream.close() }
    }

    private func fail() {
        isClosed = true
        stream.close()
    }

    /// Gives every unanswered request the outcome `lost`, in the order in which the client sent them.
    ///
    /// - Parameter error: see `Outcome.lost`.
    func loseRequests(_ error: RPCError?) {
        isLost = true
        let unanswered = requests.values.sorted { $0.number < $1.number }
        requests = [:]
        for request in unanswered { request.then(.lost(error)) }
    }

    private func deliver(_ message: UnsafeRawBufferPointer) {
        guard let connection, connection.life.takesMessages else { return }
        guard message.count > Self.longBytes else { return connection.writer.send(message) }
        var text = LongMessage()
        text.append(message)
        connection.writer.send(text)
    }
}

/// Receiving messages.
extension RelayedServer {
    private func take(_ message: UnsafeRawBufferPointer) {
        if held.batches.isEmpty, Self.isEvent(message) { return deliver(message) }
        switch decoder.decode(message) {
        case .message(.response(let id?, let response)):
            guard let request = requests.removeValue(forKey: id) else { return }
            switch response {
            case .result(let result): request.then(.result(result))
            case .error(let error): request.then(.error(RPCError(remote: error)))
            }
        // The other server has refused something that had no id.
        case .message(.response(nil, _)): deliver(message)
        case .message(.notification(let method, let params)):
            if let params { note(method, params) }
            let view = held.batches.isEmpty ? nil : params?.member("session")?.shortInteger
            guard let view, held.batches[view] != nil else { return deliver(message) }
            hold(Array(message), of: view)
        default: refuse()
        }
    }

    private func refuse() {
        views?.refuse(self)
        fail()
    }

    /// Takes a part of a message, and passes on or handles the message that it completes.
    private func take(_ part: UnsafeRawBufferPointer, isLast: Bool) {
        guard !isClosed else { return }
        if isLast, messages?.isBetweenMessages ?? true {
            takeFramed(part)
        } else {
            switch messages?.take(part, isLast: isLast) {
            case nil, .some(.none): break
            case .whole(let message): message.withUnsafeBytes { takeFramed($0) }
            case .begins(let message): begin(message)
            case .passes: connection?.writer.pass(part, isLast: isLast)
            case .invalid: refuse()
            }
        }
        pauseUnlessReady()
    }

    private func takeFramed(_ message: UnsafeRawBufferPointer) {
        if let text = ProcessMessages.text(of: message) { take(text) } else { refuse() }
    }

    /// Passes a long message on to the client, unless the message must be read here.
    private func begin(_ message: MessageBeginning) {
        guard let connection, connection.life.takesMessages else { return messages?.collect() ?? () }
        var request: (id: RequestID, view: Int?)?
        switch message.kind {
        case .event where held.batches.isEmpty: break
        case .result(let id, let view) where requests[id]?.passes ?? false: request = (id, view)
        case .event, .result, .other: return messages?.collect() ?? ()
        }
        // `begins` comes again when the client has taken what is before the message.
        guard connection.writer.isReady, let text = messages?.pass(message) else { return }
        connection.writer.beginPassing(message.messageBytes)
        text.withUnsafeBytes { connection.writer.pass($0, isLast: false) }
        guard let request else { return }
        requests.removeValue(forKey: request.id)?.then(.passes(view: request.view))
    }

    /// Returns whether a message is an event of a view model, as nearly all are that answer no request. Nothing in such a
    /// message needs to be known here.
    static func isEvent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let beginning: StaticString = #"{"jsonrpc":"2.0","method":"viewModel/event""#
        guard bytes.count > beginning.utf8CodeUnitCount else { return false }
        return beginning.withUTF8Buffer { bytes.prefix($0.count).elementsEqual($0) }
    }

    private func note(_ method: MethodName, _ params: JSONValue) {
        if method == SessionClosed.name {
            if let number = params.member("session")?.shortInteger { views?.didEnd(number) }
        } else if method == Progress.name, let token = params.member("token").flatMap({ ProgressToken($0) }) {
            let isEnd = params.member("value")?.member("kind")?.isString("end") ?? false
            if isEnd {
                tokens.removeAll { $0 == token }
            } else if !tokens.contains(token) {
                tokens.append(token)
            }
        }
    }
}

extension RelayedServer: PendingWork.Worker {
    func cancel(_ number: Int) {
        if let id = requests.first(where: { $0.value.number == number })?.key { cancel(id) }
    }

    /// Asks the other server to cancel a request.
    func cancel(_ id: RequestID) {
        guard !isClosed else { return }
        let params = JSONText { writer in
            writer.beginObject()
            writer.key("id")
            id.write(to: &writer)
            writer.endObject()
        }
        params.bytes.withUnsafeBytes { params in
            write(params) { writer in
                writer.key("method")
                writer.string(CancelRequest.name)
            }
        }
    }
}

extension RelayedServer: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        take(bytes)
        pauseUnlessReady()
    }

    /// Pauses reading while the client isn't ready, so that at most one message more than the client takes is read, or a part
    /// of one.
    private func pauseUnlessReady() {
        if let connection, !connection.writer.isReady { stream.isReadingPaused = true }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        // A server that ends in order sends its clients away, and those of others with them.
        if !isClosed { fail() }
    }

    func streamDidSend(_ stream: any ByteStream) {
        goOn()
    }

    /// Goes on with the client's messages, as the other server has read enough or is lost.
    private func goOn() {
        guard holdsClient else { return }
        holdsClient = false
        views?.noteWaiting()
        connection?.goOn()
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        isClosed = true
        if let views { views.didLose(self) } else { loseRequests(nil) }
        goOn()
    }
}

extension RPCError {
    /// Takes the error out of another server's answer.
    init(remote error: JSONValue) {
        let code = error.member("code")?.integer(as: Int.self) ?? ErrorCode.internalError.rawValue
        let message = error.member("message")?.string() ?? "the server that has the session has refused this"
        self.init(
            ErrorCode(rawValue: code), message,
            data: error.member("data").flatMap { $0.kind == .null ? nil : Array($0.text) })
    }
}
