import JSON
import JSONRPC
import Sessions
import Transport

extension Method {
    /// Makes a session with its first view. The answer comes when the view model is made; only then it starts.
    ///
    /// The view's number is taken when the request is read, so a script may send view events for it at once: they wait.
    static let sessionOpen = Method(MethodNames.sessionOpen, .request) { connection, params, call throws(RPCError) in
        guard let call else { return nil }
        let name = try params.requiredString("viewModel")
        let client = try params.string("client")
        try connection.views.checkRoom()
        guard
            let session = try connection.core.makeSession(
                name, arguments: params.value("arguments"), at: Params.path("arguments"), on: connection.loop)
        else { throw connection.core.unknownViewModel(name) }
        try connection.views.open(session, client: client, call)
        return nil
    }
}

extension ServerCore {
    fileprivate func unknownViewModel(_ name: String) -> RPCError {
        let reason =
            registry.allNames.contains(name)
            ? "\"\(name)\" is only shown by other view models, since its Arguments aren't Decodable; clients can open"
            : "there is no view model \"\(name)\"; registered are"
        return .unknownViewModel(reason, known: registry.names)
    }
}
