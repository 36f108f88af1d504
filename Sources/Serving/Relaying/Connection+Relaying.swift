import JSON
import JSONRPC
import Sessions
import ViewModelProtocol

// A connection whose client is on another server, or whose client's sessions are.

extension Connection {
    /// Answers the client with the outcome of another server. That server has counted its errors.
    ///
    /// - Parameter call: nil for a notification.
    func answer(_ call: Call?, _ outcome: RelayedServer.Outcome) {
        guard let call else { return }
        switch outcome {
        case .result(let result):
            if let error = refusal(of: result, for: call) { return answer(call, error: error) }
            guard result.text.count > RelayedServer.longBytes else { return answer(call) { $0.raw(result.text) } }
            var text = LongMessage()
            text.append(result.text)
            answer(call, longResult: text)
        case .passes: didPassAnswer(to: call)
        case .error(let error): answer(call, error: error, isCounted: true)
        case .lost(let error?): answer(call, error: error)
        case .lost(nil): loseSession()
        }
    }

    /// Returns the error that replaces an answer without room in its batch; nil where there is room. The other server doesn't
    /// know the batch. This server holds a batch's answers for one client alone, so all but the first may take a quarter of a
    /// message together.
    func refusal(of result: JSONValue, for call: Call) -> RPCError? {
        guard let batch = call.batch, case let room = peer.room(in: batch), room < .max else { return nil }
        return result.text.count > room - core.limits.messageBytes / 4 * 3 ? .noRoomInBatch : nil
    }
}

/// A client that is itself a session.
extension Connection {
    /// Whether the client is a session, of this server or another one.
    var isOfSession: Bool { relayed?.waiting != nil }

    /// Takes who looks at the session that is this client.
    func takeViewers(_ params: JSONValue) {
        guard let (number, viewers) = SharedViewers.read(params) else { return }
        if remote?.pass(SharedViewers.method, params, of: number) == true { return }
        if let view = views.table[number] { view.session.setViewers(viewers, of: view.id) }
    }
}
