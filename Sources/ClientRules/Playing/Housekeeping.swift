import JSON
import ViewModelProtocol

/// Answers to messages that any client may send at any time, and that no story is about unless it says so.
struct Housekeeping {
    /// The result of `initialize`.
    let hello: JSONText

    /// Returns the answer to such a message. The inner optional is nil for a notification, which gets no answer; the outer one
    /// is nil for any other message.
    func answer(to message: JSONText) -> JSONText?? {
        if Self.notifications.contains(where: message.isOf) { return .some(nil) }
        guard let result = result(of: message) else { return .none }
        // A notification with a request's method is ignored, as by a server.
        return .some(message.withValue { $0.member("id").map { Self.response($0, result) } })
    }

    private func result(of message: JSONText) -> JSONText? {
        if message.isOf(Initialize.name) { return hello }
        if message.isOf(SessionList.name) { return Self.noSessions }
        if message.isOf(SessionRows.name) { return Self.noRows }
        if message.isOf(ViewModelDescribe.name) { return Self.description(of: message) }
        let isOfNull = [Ping.name, SessionDetach.name, Shutdown.name].contains(where: message.isOf)
        return isOfNull ? JSONText { $0.null() } : nil
    }

    private static let notifications = [
        Initialized.name, Exit.name, CancelRequest.name, SetTrace.name, LogTrace.name,
    ]

    static func response(_ id: JSONValue, _ result: JSONText) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"jsonrpc":"2.0","id":"#)
            writer.compact(id)
            writer.literal(#","result":"#)
            writer.raw(result.bytes)
            writer.endObject()
        }
    }

    private static let noSessions = JSONText { $0.literal(#"{"sessions":[]}"#) }
    private static let noRows = JSONText { $0.literal(#"{"seq":0,"count":0,"first":0,"rows":[]}"#) }

    /// Returns a contract that allows any event, and no arguments.
    private static func description(of message: JSONText) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"name":"#)
            message.withValue { message in
                if let name = message.member("params")?.member("viewModel") {
                    writer.compact(name)
                } else {
                    writer.null()
                }
            }
            writer.literal(#","arguments":{"type":"object"},"viewEvent":{"oneOf":[]},"viewModelEvent":{"oneOf":[]}}"#)
        }
    }
}
