import JSONRPC
import Queues

/// Tells which messages belong together by what was sent before them: an answer to its request, progress to the request
/// that asked for it. Once for the lines of a transcript as they are read, and once for what happens as they are played.
struct Correlation {
    private struct Request {
        let line: Int
        let stream: MessageStream
        let token: CallID?
    }

    /// How many notifications that asked for progress are kept in mind, as no answer says that there will be no more.
    private static let keptNotifications = 4096

    /// Whose messages are sorted into streams.
    let checked: TranscriptSide
    /// Of the played side, in the order in which they were made, where an id is used twice.
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

    /// Where a message of the checked side belongs, and the played line that must have been sent before it can come.
    ///
    /// Only an answer and progress are surely caused by a line. What a session says of its own accord may come before a line
    /// that it happened to come behind when it was recorded.
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
        // One editor gives a call up by a message shaped like a request with the id of that call and without params.
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
