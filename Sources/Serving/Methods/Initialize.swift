import JSON
import JSONRPC
import Sessions

extension Method {
    /// `protocolVersion` and `token` are also read from `initializationOptions`, which is all that most hosts let a user
    /// set. No `trace` value makes it fail, and what isn't known is ignored.
    static let initialize = Method(MethodNames.initialize, .request, .first) {
        connection, params, call throws(RPCError) in
        guard connection.core.accepts(token: try params.setting("token")) else {
            connection.closeAfterAnswer()
            let advice = "pass the server's token as \"token\", or in initializationOptions"
            throw RPCError(.unauthorized, "the token is wrong or missing; \(advice)")
        }
        try ProtocolVersion.check(params.setting("protocolVersion") ?? ProtocolVersion.current)
        let processID = try params.integer("processId")
        connection.didInitialize(
            clientInfo: ClientInfo(params.value("clientInfo")),
            processID: processID,
            trace: .init(lenient: params.value("trace")?.string()))
        return { [core = connection.core] in core.writeInitializeResult(to: &$0) }
    }
}

extension Params {
    /// A string of the params, or else of their `initializationOptions`.
    fileprivate func setting(_ name: StaticString) throws(RPCError) -> String? {
        if let setting = try string(name) { return setting }
        guard let options = value("initializationOptions"), options.kind == .object else { return nil }
        return try Params(options).string(name)
    }
}

extension ServerCore {
    func writeInitializeResult(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("protocolVersion")
        writer.string(ProtocolVersion.current)
        writer.key("serverInfo")
        writer.beginObject()
        writer.key("name")
        writer.string(name)
        writer.key("version")
        writer.string(version)
        writer.endObject()
        writer.key("capabilities")
        writeCapabilities(to: &writer)
        writer.key("limits")
        writer.beginObject()
        for (name, value) in [
            ("messageBytes", limits.messageBytes), ("sessions", limits.sessions),
            ("pendingEvents", limits.pendingEvents), ("replayEvents", limits.replayEvents),
        ] {
            writer.key(name)
            writer.integer(value)
        }
        writer.endObject()
        writer.endObject()
    }

    private func writeCapabilities(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("viewModels")
        writer.beginArray()
        for name in registry.names {
            writer.beginObject()
            writer.key("name")
            writer.string(name)
            writer.endObject()
        }
        writer.endArray()
        writer.key("resume")
        writer.boolean(true)
        writer.key("durable")
        writer.boolean(false)
        writer.endObject()
    }
}
