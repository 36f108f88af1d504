package import JSON
package import JSONRPC

extension ClientMethod {
    /// Reads the params that a client sent.
    ///
    /// - Throws: an `InvalidParams` that names the member.
    package static func params(_ params: JSONRPC.Params) throws(RPCError) -> Params {
        do throws(JSONCodingError) {
            guard let object = params.object else {
                return try JSONText.emptyObject.withValue { object throws(JSONCodingError) in
                    try ValueDecoder().decode(Params.self, from: object)
                }
            }
            return try ValueDecoder().decode(Params.self, from: object)
        } catch {
            throw .invalidParams(error)
        }
    }

    /// Reads the result that a server answered with.
    ///
    /// - Throws: `JSONCodingError` where it isn't of this form.
    package static func result(_ result: JSONValue) throws(JSONCodingError) -> Result {
        try ValueDecoder().decode(Result.self, from: result)
    }
}

extension ServerNotification {
    /// Reads the params that a server sent.
    ///
    /// - Throws: `JSONCodingError` where they aren't of this form.
    package static func params(_ params: JSONValue) throws(JSONCodingError) -> Params {
        try ValueDecoder().decode(Params.self, from: params)
    }
}

extension Peer {
    /// Sends a request, and returns its id. The answer comes by `peer(_:didReceive:to:)`.
    package func ask<Method: ClientMethod>(
        _ method: Method.Type, _ params: Method.Params, for handler: any PeerHandler
    ) -> RequestID {
        let members = Members(params)
        return ask(Method.name, for: handler) { members.write(to: &$0) }
    }

    /// Sends a client's notification.
    package func notify<Method: ClientMethod>(
        _ method: Method.Type, _ params: Method.Params, for handler: any PeerHandler
    ) {
        let members = Members(params)
        notify(Method.name, for: handler) { members.write(to: &$0) }
    }

    /// Sends a server's notification.
    package func notify<Notification: ServerNotification>(
        _ notification: Notification.Type, _ params: Notification.Params, for handler: any PeerHandler
    ) {
        let members = Members(params)
        notify(Notification.name, for: handler) { members.write(to: &$0) }
    }
}

extension MessageEncoder {
    /// Writes a server's notification.
    package static func notification<Notification: ServerNotification>(
        _ notification: Notification.Type, _ params: Notification.Params, into writer: inout JSONWriter
    ) {
        let members = Members(params)
        Self.notification(Notification.name, into: &writer) { members.write(to: &$0) }
    }
}

/// The members of params, without the braces.
private struct Members {
    private let object: JSONText

    init(_ params: some Encodable) {
        // Params have no floating-point numbers, and nothing else can't be encoded.
        object = (try? JSONText(encoding: params)) ?? .emptyObject
    }

    func write(to writer: inout JSONWriter) {
        writer.raw(Array(object.bytes.dropFirst().dropLast()))
    }
}
