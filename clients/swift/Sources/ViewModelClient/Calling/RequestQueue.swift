import JSON
import JSONRPC
import ViewModelProtocol

/// A request of this client.
struct ClientRequest {
    /// The fate of a request whose connection is lost before it is answered.
    enum Loss {
        /// It fails, since the server may have done it.
        case fails
        /// It is sent again on the next connection: done twice, it does no harm.
        case isSentAgain
        /// It is forgotten: its view asks anew once it is attached again.
        case isForgotten
    }

    /// The number by which the caller cancels it; 0 where nobody can.
    let ticket: Int
    let loss: Loss
    /// May be called again, on another connection.
    let send: (Peer, any PeerHandler) -> RequestID
    /// Called with the result, or `fail` with an error: one of them, once, unless the request is forgotten. Throws
    /// `invalidMessage`, after the caller got the same error, where the result isn't of the method's form.
    let answer: (JSONValue) throws(RemoteError) -> Void
    let fail: (any Error) -> Void
    fileprivate(set) var isCancelled = false

    init<Method: ClientMethod>(
        _ method: Method.Type, _ params: Method.Params, ticket: Int = 0, loss: Loss,
        reply: @escaping (Result<Method.Result, any Error>) -> Void
    ) {
        self.ticket = ticket
        self.loss = loss
        send = { peer, handler in peer.ask(method, params, for: handler) }
        answer = { value throws(RemoteError) in
            let result: Method.Result
            do throws(JSONCodingError) {
                result = try method.result(value)
            } catch {
                let error = RemoteError.invalidMessage("its answer to \(method.name): \(error)")
                reply(.failure(error))
                throw error
            }
            reply(.success(result))
        }
        fail = { reply(.failure($0)) }
    }

    /// A request whose result is wanted as it is.
    init<Method: ClientMethod>(
        _ method: Method.Type, _ params: Method.Params, ticket: Int, loss: Loss,
        reply: @escaping (Result<JSONText, any Error>) -> Void
    ) {
        self.ticket = ticket
        self.loss = loss
        send = { peer, handler in peer.ask(method, params, for: handler) }
        answer = { value throws(RemoteError) in reply(.success(JSONText(value))) }
        fail = { reply(.failure($0)) }
    }
}

/// The requests of a client that aren't answered: those on their way, and those that wait for a connection.
struct RequestQueue {
    /// The way to end a request that its caller gives up.
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

    var hasUnanswered: Bool { !inFlight.isEmpty }

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
