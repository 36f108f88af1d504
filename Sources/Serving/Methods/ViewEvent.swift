import JSON
import JSONRPC
import Sessions
import ViewModels

extension Method {
    /// A View's event for its view model: the one method that waits for its session's handlers before it.
    static let viewEvent = Method(MethodNames.viewEvent, .either) { connection, params, call throws(RPCError) in
        let (session, event, number, token) = params.members("session", "event", "number", "workDoneToken")
        let view = try connection.views.view(session.requiredInteger())
        let value = try event.required()
        let count = try number.integer()
        let progress = try connection.progress(for: token.value, view: view)
        let handle: ViewEventJob.Handler
        do throws(JSONCodingError) {
            handle = try view.session.decode(value, at: eventPath)
        } catch {
            // A numbered event takes its number all the same, in its turn, or the client could never send the next one.
            if count == nil { throw .invalidParams(error) }
            handle = { throw error }
        }
        let bytes = (params.object?.text.count ?? 0) + (call?.id.byteCount ?? 0)
        try connection.views.submit(handle, progress: progress, number: count, bytes: bytes, to: view, call)
        return nil
    }

    /// Made once: it is needed for each event, and told for few.
    private static let eventPath = Params.path("event")
}

extension Connection {
    /// What reports progress under `token`; nil when none is asked for.
    fileprivate func progress(for token: JSONValue?, view: AttachedView) throws(RPCError) -> WorkDoneProgress? {
        guard let token else { return nil }
        guard token.kind == .string || token.isIntegerText() else {
            throw .invalidParams(at: Params.path("workDoneToken"), "expected a string or an integer")
        }
        let text = [UInt8](token.text)
        let number = view.number
        return WorkDoneProgress { [handle, weak session = view.session] value in
            // Now: by the time this connection's thread comes to it there may be events that came later.
            let newest = session?.summary.newest
            handle.perform { $0.views.report(value, token: text, of: number, after: newest) }
        }
    }
}
