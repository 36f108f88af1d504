import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// A channel to another server, which serves a client of this one there as if it had connected to it.
///
/// Confined to the connection's loop. The stream keeps it until it is closed.
final class RemoteServer {
    /// An answer. Borrows the message's bytes.
    enum Outcome {
        case result(JSONValue)
        case error(RPCError)
        /// None will come: the channel is lost.
        case lost
    }

    private struct Request {
        /// For a cancellation.
        let number: Int
        let then: (Outcome) -> Void
    }

    /// Messages that may wait for the answers to a batch, in bytes.
    private static let heldBytes = 4 << 20

    private let stream: any ByteStream
    private weak var connection: Connection?
    private weak var views: RemoteViews?
    private let decoder: MessageDecoder
    private var requests: [RequestID: Request] = [:]
    private var lastNumber = 0
    /// Events behind an answer that waits for the rest of its batch.
    private var held: [[UInt8]] = []
    private var heldBytes = 0
    private var holdsEvents = false
    /// No message of the client is taken until the other server has taken those before.
    private var holdsClient = false
    private var isClosed = false

    init(_ stream: any ByteStream, of connection: Connection, _ views: RemoteViews) {
        self.stream = stream
        self.connection = connection
        self.views = views
        // The other server may send longer messages than a client may, such as answers to a batch.
        decoder = MessageDecoder(
            maximumBatchCount: .max, maximumDepth: connection.core.limits.nesting + 16, maximumIDBytes: .max,
            dialect: .viewModels)
    }

    /// Sends a client's message.
    ///
    /// - Parameters:
    ///   - params: the text of an object.
    ///   - call: nil for a notification. Its cancellation is sent, too.
    ///   - then: called once.
    func send(_ method: String, _ params: [UInt8], _ call: Call?, then: @escaping (Outcome) -> Void) {
        guard !isClosed else { return then(.lost) }
        if let call {
            lastNumber += 1
            requests[call.id] = Request(number: lastNumber, then: then)
            connection?.peer.note(PendingWork(self, lastNumber, outlivesConnection: true), for: call)
        }
        write { writer in
            if let call {
                writer.key("id")
                call.id.write(to: &writer)
            }
            writer.key("method")
            writer.string(method)
            writer.key("params")
            writer.raw(params)
        }
        guard stream.unsentByteCount > StreamLimits.lowWaterBytes, !holdsClient else { return }
        holdsClient = true
        connection?.holdMessages()
    }

    private func write(_ members: (inout JSONWriter) -> Void) {
        ScratchWriter.with { writer in
            writer.beginObject()
            writer.key("jsonrpc")
            writer.string("2.0")
            members(&writer)
            writer.endObject()
            writer.withUnsafeBytes { text in stream.write { $0.append(contentsOf: text) } }
        }
    }

    /// Holds events back until `sendHeld`.
    func holdEvents() {
        holdsEvents = true
    }

    func sendHeld() {
        guard holdsEvents else { return }
        holdsEvents = false
        let messages = held
        (held, heldBytes) = ([], 0)
        for message in messages { message.withUnsafeBytes { deliver($0) } }
    }

    /// Goes on reading where the client has taken what it was sent.
    func resume() {
        if stream.isReadingPaused { stream.isReadingPaused = false }
    }

    /// The client is gone: the other server is told so behind everything that was sent to it.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        stream.finish()
    }

    private func fail() {
        isClosed = true
        stream.close()
    }

    private func deliver(_ message: UnsafeRawBufferPointer) {
        guard let connection, connection.life.takesMessages else { return }
        connection.writer.send(message)
        if !connection.writer.hasWrittenMessages { stream.isReadingPaused = true }
    }

    private func take(notification message: UnsafeRawBufferPointer) {
        guard holdsEvents else { return deliver(message) }
        held.append(Array(message))
        heldBytes += message.count
        if heldBytes > Self.heldBytes { fail() }
    }
}

extension RemoteServer: PendingWork.Worker {
    func cancel(_ number: Int) {
        if let id = requests.first(where: { $0.value.number == number })?.key { cancel(id) }
    }

    /// Has the other server give a request up.
    func cancel(_ id: RequestID) {
        guard !isClosed else { return }
        write { writer in
            writer.key("method")
            writer.string("\(CancelRequest.name)")
            writer.key("params")
            writer.beginObject()
            writer.key("id")
            id.write(to: &writer)
            writer.endObject()
        }
    }
}

extension RemoteServer: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        if RelayLedger.isEvent(bytes) { return take(notification: bytes) }
        switch decoder.decode(bytes) {
        case .message(.response(let id?, let response)):
            guard let request = requests.removeValue(forKey: id) else { return }
            switch response {
            case .result(let result): request.then(.result(result))
            case .error(let error): request.then(.error(RPCError(remote: error)))
            }
        case .message(.notification(let method, let params)):
            if method == SessionClosed.name, let number = params?.member("session")?.shortInteger {
                views?.didEnd(number)
            }
            take(notification: bytes)
        default: fail()
        }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        // A server that ends in order sends its clients away, and those of others with them.
        if !isClosed { fail() }
    }

    func streamDidSend(_ stream: any ByteStream) {
        guard holdsClient else { return }
        holdsClient = false
        connection?.goOn()
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        isClosed = true
        views?.didLose(self)
        // In the order in which the client has sent them, as their views get numbers again.
        let unanswered = requests.values.sorted { $0.number < $1.number }
        requests = [:]
        for request in unanswered { request.then(.lost) }
    }
}

extension RPCError {
    /// The error of an answer of another server.
    fileprivate init(remote error: JSONValue) {
        let code = error.member("code")?.integer(as: Int.self) ?? ErrorCode.internalError.rawValue
        let message = error.member("message")?.string() ?? "the server that has the session has refused this"
        self.init(
            ErrorCode(rawValue: code), message,
            data: error.member("data").flatMap { $0.kind == .null ? nil : Array($0.text) })
    }
}
