import JSON
import JSONRPC
import Sessions

extension Method {
    /// Adds a view to a running session. With `since` the events after it follow; without, a snapshot is in the answer.
    static let sessionAttach = Method(MethodNames.sessionAttach, .request) {
        connection, params, call throws(RPCError) in
        guard let call else { return nil }
        let key = try params.requiredString("key")
        let since = try params.integer("since")
        let client = try params.string("client")
        guard let session = connection.core.session(withKey: key) else {
            throw RPCError(.unknownSession, "there is no session with this key; it ended, or the key is wrong")
        }
        try connection.views.attach(to: session, since: since, client: client, call) { number, attachment, writer in
            writer.beginObject()
            writer.key("session")
            writer.integer(number)
            writer.key("viewModel")
            writer.string(session.viewModelName)
            writer.key("seq")
            writer.integer(attachment.newest)
            if let snapshot = attachment.snapshot {
                writer.key("snapshot")
                writer.beginArray()
                for event in snapshot { writer.raw(event) }
                writer.endArray()
            }
            if let handled = attachment.handled {
                writer.key("handled")
                writer.integer(handled)
            }
            if !attachment.navigation.isEmpty {
                writer.key("navigation")
                attachment.navigation.write(to: &writer)
            }
            writer.endObject()
        }
        return nil
    }
}

extension HostedNavigation {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("stack")
        writer.beginArray()
        for child in stack { child.write(to: &writer) }
        writer.endArray()
        writer.key("presented")
        if let presented { presented.write(to: &writer) } else { writer.null() }
        writer.endObject()
    }
}

extension NavigationChild {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("viewModel")
        writer.string(viewModel)
        writer.key("key")
        writer.string(key)
        writer.endObject()
    }
}
