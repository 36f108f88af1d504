import JSON
import JSONRPC
import Sessions

extension Method {
    /// The sessions that have a view on this connection, in the order of attachment.
    static let sessionList = Method(MethodNames.sessionList, .request) { connection, _, _ throws(RPCError) in
        let views = connection.views.table.attached.filter(\.isAnswered).map { ($0.number, $0.session) }
        return { writer in
            writer.beginObject()
            writer.key("sessions")
            writer.beginArray()
            for (number, session) in views {
                let (newest, count) = session.summary
                writer.beginObject()
                writer.key("session")
                writer.integer(number)
                writer.key("key")
                writer.string(session.key)
                writer.key("viewModel")
                writer.string(session.viewModelName)
                writer.key("seq")
                writer.integer(newest)
                writer.key("views")
                writer.integer(count)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
