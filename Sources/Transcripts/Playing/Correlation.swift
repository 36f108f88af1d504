import JSONRPC
import Queues

/// Assigns each message of the checked side to a stream, by the messages that the played side has sent: an answer belongs to
/// its request, and progress to the request that asked for it.
///
/// One `Correlation` follows the lines of a transcript as they are read, another one the messages of the play.
struct Correlation {
    private struct Request {
        let line: Int
        let stream: MessageStream
        let token: CallID?
    }

    /// The number of notifications with a progress token that are kept: no answer shows when their progress ends.
    private static let keptNotifications = 4096

    /// The side whose messages are sorted into streams.
    let checked: TranscriptSide
    /// The played side's unanswered requests by id. If an id is used more than once, they are in the order of sending.
    private var requests: [CallID: Deque<Request>] = [:]
    private var progress: [CallID: (stream: MessageStream, line: Int)] = [:]
    private var notifications = Deque<CallID>()

    init(checked: TranscriptSide) {
        self.checked = checked
    }

    func isWaiting(_ id: RequestID, on connection: Int) -> Bool {
        requests[CallID(id: id, connection: connection)] != nil
    }

    mutating func play(_ shape: ContentShape, line: Int, on connection: Int) {
        for message in shape.messages {
            let stream =
                message.session.map { .session($0, connection: connection) } ?? MessageStream.request(line: line)
            let token = message.workDoneToken.map { CallID(id: $0, connection: connection) }
            if message.kind == .request, let id = message.id {
                begin(
                    CallID(id: id, connection: connection), message, Request(line: line, stream: stream, token: token))
            } else if message.kind == .notification, let token {
                progress[token] = (stream, line)
                notifications.append(token)
                if notifications.count > Self.keptNotifications, let oldest = notifications.popFirst() {
                    progress[oldest] = nil
                }
            }
        }
    }

    /// Returns the stream of a message of the checked side, and its cause: the played line that must precede it.
    ///
    /// Only answers and progress have a cause. An event that a session sends by itself may come before a line that only
    /// happened to precede it in the recording.
    mutating func sort(_ shape: ContentShape, line: Int, on connection: Int) -> (stream: MessageStream, cause: Int?) {
        guard checked == .server else {
            for message in shape.messages where message.kind == .answer { _ = end(message.id, on: connection) }
            if case .message(let message) = shape, let session = message.session {
                return (.session(session, connection: connection), nil)
            }
            return (.rest(connection: connection), nil)
        }
        switch shape {
        case .message(let message):
            return message.kind == .answer
                ? sortAnswer(message, line: line, on: connection) : sort(message, on: connection)
        case .batch(let messages):
            return (.line(line), messages.compactMap { end($0.id, on: connection)?.line }.max())
        case .text:
            return (.rest(connection: connection), nil)
        }
    }

    private mutating func begin(_ call: CallID, _ message: MessageShape, _ request: Request) {
        // Vim cancels a request with a message that looks like a request with the same id and without params.
        if requests[call] != nil, !message.hasParams { return }
        if let token = request.token { progress[token] = (request.stream, request.line) }
        requests[call, default: Deque()].append(request)
    }

    private mutating func end(_ id: RequestID?, on connection: Int) -> Request? {
        let call = CallID(id: id, connection: connection)
        guard id != nil, let request = requests[call]?.popFirst() else { return nil }
        if requests[call]?.isEmpty == true { requests[call] = nil }
        if let token = request.token, progress[token]?.line == request.line { progress[token] = nil }
        return request
    }

    private mutating func sortAnswer(
        _ message: MessageShape, line: Int, on connection: Int
    ) -> (stream: MessageStream, cause: Int?) {
        guard message.id != nil else { return (.rest(connection: connection), nil) }
        let request = end(message.id, on: connection)
        var stream = request?.stream ?? .line(line)
        if case .session = stream {
        } else if let session = message.resultSession {
            stream = .session(session, connection: connection)
        }
        return (stream, request?.line)
    }

    private func sort(_ message: MessageShape, on connection: Int) -> (stream: MessageStream, cause: Int?) {
        if message.kind == .notification, let session = message.session {
            return (.session(session, connection: connection), nil)
        }
        if message.kind == .notification, let token = message.token,
            let (stream, line) = progress[CallID(id: token, connection: connection)]
        {
            return (stream, line)
        }
        guard message.kind != .other else { return (.rest(connection: connection), nil) }
        let stream = message.method.map { MessageStream.method($0, connection: connection) }
        return (stream ?? .anyMethod(connection: connection), nil)
    }
}

/// The stream that a checked message belongs to. The messages of one stream keep the transcript's order; streams may
/// interleave.
enum MessageStream: Hashable {
    case session(Int, connection: Int)
    /// The answer to a request without a session, and the progress reported before it.
    case request(line: Int)
    /// A line that has no order with others.
    case line(Int)
    /// Messages of a method that the server sends by itself and that belong to no session.
    case method(String, connection: Int)
    /// Messages that the server sends by itself, for which the transcript has a matcher in place of the method.
    case anyMethod(connection: Int)
    case rest(connection: Int)
}
