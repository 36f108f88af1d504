import JSON
import JSONRPC
import Sessions
import ViewModels

extension Method {
    /// A View's event for its view model: the one method that waits for its session's handlers before it.
    static let viewEvent = Method("view/event", .either) { connection, params, call throws(RPCError) in
        let number = try params.requiredInteger("session")
        let view = try connection.view(number)
        let event = try params.requiredValue("event")
        let count = try params.integer("number")
        let progress = try connection.progress(for: params.value("workDoneToken"), view: number)
        let handle: ViewEventJob.Handler
        do throws(JSONCodingError) {
            handle = try view.session.decode(event, at: Params.path("event"))
        } catch {
            // A numbered event takes its number all the same, in its turn, or the client could never send the next one.
            if count == nil { throw .invalidParams(error) }
            handle = { throw error }
        }
        let bytes = (params.object?.text.count ?? 0) + (call?.id.byteCount ?? 0)
        try connection.submit(handle, progress: progress, number: count, bytes: bytes, to: number, call)
        return nil
    }
}

extension Connection {
    /// What reports progress under `token`; nil when none is asked for.
    fileprivate func progress(for token: JSONValue?, view: Int) throws(RPCError) -> WorkDoneProgress? {
        guard let token else { return nil }
        guard token.kind == .string || token.isIntegerText() else {
            throw .invalidParams(at: Params.path("workDoneToken"), "expected a string or an integer")
        }
        let text = [UInt8](token.text)
        let session = try self.view(view).session
        return WorkDoneProgress { [handle, weak session] value in
            // Now: by the time this connection's thread comes to it there may be events that came later.
            let newest = session?.summary.newest
            handle.perform { $0.report(value, token: text, view: view, after: newest) }
        }
    }
}
