import JSON
import JSONRPC
package import ViewModelProtocol

/// A method that clients may call: its type in the protocol, and the code that handles its messages. A class, so that looking
/// up the method of a message copies nothing.
package final class Method: Sendable {
    /// Handles a message with these params. The call is nil for a notification. A thrown error answers the request; that of a
    /// notification goes to the log.
    ///
    /// Returns the result as JSON; nil when the call is answered later or the message is a notification.
    typealias Run = @Sendable (Connection, Params, Call?) throws(RPCError) -> JSONText?

    let message: any ClientMethod.Type
    package let name: StaticString
    package let kind: MethodKind
    package let allowance: Allowance
    let run: Run

    private init<M: ClientMethod>(_ method: M.Type, _ run: @escaping Run) {
        message = method
        name = M.name
        kind = M.kind
        allowance = M.allowance
        self.run = run
    }

    /// Makes the method of a request that is answered at once.
    static func answer<M: ClientMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (Connection, M.Params) throws -> M.Result
    ) -> Method {
        Method(method) { connection, params, _ throws(RPCError) in
            let params = try M.params(params)
            return try JSONText(result: answering { try body(connection, params) })
        }
    }

    /// Makes the method of a request that is answered at once, with null.
    static func answer<M: ClientMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (Connection, M.Params) throws -> Void
    ) -> Method where M.Result == Null {
        answer(method) { connection, params in
            try body(connection, params)
            return Null()
        }
    }

    /// Makes the method of a request that is answered now or later, by its `Reply`.
    static func reply<M: ClientMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (Connection, M.Params, Reply<M>) throws -> Void
    ) -> Method {
        Method(method) { connection, params, call throws(RPCError) in
            guard let call else { return nil }
            let params = try M.params(params)
            try answering { try body(connection, params, Reply(call)) }
            return nil
        }
    }

    static func notification<M: ClientMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (Connection, M.Params) throws -> Void
    ) -> Method where M.Result == Never {
        Method(method) { connection, params, _ throws(RPCError) in
            let params = try M.params(params)
            try answering { try body(connection, params) }
            return nil
        }
    }

    /// Makes the method of view events, whose body parses the params itself and answers the call later, where there is one.
    static func event(
        _ method: ViewEvent.Type, _ body: @escaping @Sendable (Connection, Params, Call?) throws(RPCError) -> Void
    ) -> Method {
        Method(method) { connection, params, call throws(RPCError) in
            try body(connection, params, call)
            return nil
        }
    }

    /// Calls `body`, and turns an error that isn't an `RPCError` into an internal error.
    private static func answering<R>(_ body: () throws -> R) throws(RPCError) -> R {
        do {
            return try body()
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
    }
}

/// A request that is still to be answered. `Connection.answer` is called with it exactly once.
struct Reply<M: ClientMethod>: Sendable {
    let call: Call

    init(_ call: Call) { self.call = call }
}

extension Connection {
    func answer<M: ClientMethod>(_ reply: Reply<M>, _ result: M.Result) {
        do throws(RPCError) {
            answer(reply.call, result: try JSONText(result: result))
        } catch {
            answer(reply.call, error: error)
        }
    }

    func answer<M: ClientMethod>(_ reply: Reply<M>, error: RPCError) {
        answer(reply.call, error: error)
    }

    func answer(_ call: Call, result: JSONText) {
        answer(call) { $0.raw(result.bytes) }
    }
}

extension JSONText {
    /// Encodes the result of a request.
    ///
    /// - Throws: an `InternalError` for a result that can't be encoded.
    init(result: some Encodable) throws(RPCError) {
        do throws(JSONCodingError) {
            try self.init(encoding: result)
        } catch {
            throw RPCError(.internalError, "the result can't be encoded: \(error)")
        }
    }
}
