import JSON
import JSONRPC
import ViewModelProtocol

/// A request from this client to its server.
struct ClientRequest {
    /// The fate of a request whose connection is lost before it is answered.
    enum Loss {
        /// The request fails, since the server may have done it.
        case fails
        /// The request is sent again on the next connection: doing it twice does no harm.
        case isSentAgain
        /// The request is forgotten, as its view asks anew once it is attached again.
        case isForgotten
    }

    /// The number by which the caller cancels the request; 0 if nobody can.
    let ticket: Int
    let loss: Loss
    /// Sends the request. May be called again, on another connection.
    let send: (Peer, any PeerHandler) -> RequestID
    /// Called with the result. Either this or `fail` is called, once, unless the request is forgotten. If the result doesn't
    /// have the method's form, this throws `invalidMessage`, after the caller got the same error.
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

    /// Makes a request whose result is passed on as JSON.
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

/// The unanswered requests of a client: those in flight, and those that wait for a connection.
struct RequestQueue {
    /// What to do about a request that its caller gives up.
    enum Cancellation {
        /// The request wasn't sent yet: reply to the caller.
        case unsent(ClientRequest)
        /// The request is in flight: notify the server, which still answers it.
        case inFlight(RequestID)
        /// No request has this ticket.
        case unknown
    }

    private var waiting: [ClientRequest] = []
    private var inFlight: [RequestID: ClientRequest] = [:]

    var hasUnanswered: Bool { !inFlight.isEmpty }

    mutating func wait(_ request: ClientRequest) {
        waiting.append(request)
    }

    /// Removes and returns the requests that wait, in the order in which they must be sent.
    mutating func takeWaiting() -> [ClientRequest] {
        defer { waiting = [] }
        return waiting
    }

    mutating func didSend(_ request: ClientRequest, as id: RequestID) {
        inFlight[id] = request
    }

    /// Removes and returns the request that was sent with this id; nil if its answer isn't wanted any more.
    mutating func takeAnswered(_ id: RequestID) -> ClientRequest? {
        inFlight.removeValue(forKey: id)
    }

    mutating func cancel(_ ticket: Int) -> Cancellation {
        if let index = waiting.firstIndex(where: { $0.ticket == ticket }) { return .unsent(waiting.remove(at: index)) }
        guard let id = inFlight.first(where: { $0.value.ticket == ticket })?.key else { return .unknown }
        inFlight[id]?.isCancelled = true
        return .inFlight(id)
    }

    /// Removes the requests in flight, which get no answer any more. Those that are to be sent again wait from now on.
    ///
    /// - Returns: the requests that fail, cancelled ones included, in the order of their tickets.
    mutating func didLoseConnection() -> [ClientRequest] {
        let unanswered = takeInFlight()
        waiting += unanswered.filter { !$0.isCancelled && $0.loss == .isSentAgain }
        return unanswered.filter { $0.isCancelled || $0.loss == .fails }
    }

    /// Removes and returns all requests: those in flight in the order of their tickets, then those that wait.
    mutating func takeAll() -> [ClientRequest] {
        takeInFlight() + takeWaiting()
    }

    private mutating func takeInFlight() -> [ClientRequest] {
        defer { inFlight = [:] }
        return inFlight.values.sorted { $0.ticket < $1.ticket }
    }
}
