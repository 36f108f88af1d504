import JSON
import JSONRPC

/// A request of this client.
struct ClientRequest {
    /// The answer; its value is borrowed for the call.
    typealias Reply = (Result<JSONValue, any Error>) -> Void

    /// The fate of a request whose connection is lost before it is answered.
    enum Loss {
        /// It fails, since the server may have done it.
        case fails
        /// It is sent again on the next connection: done twice, it does no harm.
        case isSentAgain
        /// It is forgotten: its view asks anew once it is attached again.
        case isForgotten
    }

    let method: StaticString
    /// The number by which the caller cancels it; 0 where nobody can.
    let ticket: Int
    let loss: Loss
    /// Writes the members of the params, each time that it is sent.
    let params: (inout JSONWriter) -> Void
    /// Called once, unless the request is forgotten.
    let reply: Reply
    fileprivate(set) var isCancelled = false

    init(
        _ method: StaticString, ticket: Int = 0, loss: Loss, params: @escaping (inout JSONWriter) -> Void = { _ in },
        reply: @escaping Reply
    ) {
        self.method = method
        self.ticket = ticket
        self.loss = loss
        self.params = params
        self.reply = reply
    }
}

/// The requests of a client that aren't answered: those on their way, and those that wait for a connection.
struct RequestQueue {
    /// What to do about a request that its caller gives up.
    enum Cancellation {
        /// It hasn't been sent: reply to it.
        case unsent(ClientRequest)
        /// It is on its way: tell the server, which answers all the same.
        case inFlight(RequestID)
        /// There is none with this ticket.
        case unknown
    }

    private var waiting: [ClientRequest] = []
    private var inFlight: [RequestID: ClientRequest] = [:]

    mutating func wait(_ request: ClientRequest) {
        waiting.append(request)
    }

    /// Those that wait, to be sent in this order.
    mutating func takeWaiting() -> [ClientRequest] {
        defer { waiting = [] }
        return waiting
    }

    mutating func didSend(_ request: ClientRequest, as id: RequestID) {
        inFlight[id] = request
    }

    /// The request that was sent with this id; nil when its answer isn't wanted any more.
    mutating func takeAnswered(_ id: RequestID) -> ClientRequest? {
        inFlight.removeValue(forKey: id)
    }

    mutating func cancel(_ ticket: Int) -> Cancellation {
        if let index = waiting.firstIndex(where: { $0.ticket == ticket }) { return .unsent(waiting.remove(at: index)) }
        guard let id = inFlight.first(where: { $0.value.ticket == ticket })?.key else { return .unknown }
        inFlight[id]?.isCancelled = true
        return .inFlight(id)
    }

    /// No answer comes any more to what was sent. A request that is sent again waits from now on.
    ///
    /// - Returns: the requests that fail, each with whether its caller has cancelled it, in the order of their tickets.
    mutating func didLoseConnection() -> [ClientRequest] {
        let unanswered = takeInFlight()
        waiting += unanswered.filter { !$0.isCancelled && $0.loss == .isSentAgain }
        return unanswered.filter { $0.isCancelled || $0.loss == .fails }
    }

    /// All of them, in the order of their tickets.
    mutating func takeAll() -> [ClientRequest] {
        takeInFlight() + takeWaiting()
    }

    private mutating func takeInFlight() -> [ClientRequest] {
        defer { inFlight = [:] }
        return inFlight.values.sorted { $0.ticket < $1.ticket }
    }
}
