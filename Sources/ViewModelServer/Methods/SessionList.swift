import JSON
import JSONRPC

extension Method {
    /// The sessions that have a view on this connection, in the order of attachment.
    static let sessionList = Method("session/list", .request) { connection, _, _ throws(RPCError) in
        let views = connection.views.sorted { $0.key < $1.key }.filter { $0.value.isAnswered }
        return { writer in
            writer.beginObject()
            writer.key("sessions")
            writer.beginArray()
            for (number, view) in views {
                let (newest, count) = view.session.summary
                writer.beginObject()
                writer.key("session")
                writer.integer(number)
                writer.key("key")
                writer.string(view.session.key)
                writer.key("viewModel")
                writer.string(view.session.viewModelName)
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
