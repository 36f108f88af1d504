package import JSON

/// Writes whole messages: an object with JSON-RPC's own members and no other, in one fixed order.
package enum MessageEncoder {
    /// - Parameter result: writes one value.
    package static func response(
        _ id: RequestID, into writer: inout JSONWriter, result: (inout JSONWriter) -> Void
    ) {
        beginResponse(id, into: &writer)
        result(&writer)
        writer.endObject()
    }

    /// Writes everything before the result. After the result the caller writes `}`.
    package static func beginResponse(_ id: RequestID, into writer: inout JSONWriter) {
        begin(id, &writer)
        writer.literal(#","result":"#)
    }

    /// - Parameter id: nil where the request's id couldn't be known.
    package static func response(_ id: RequestID?, into writer: inout JSONWriter, error: RPCError) {
        begin(id, &writer)
        writer.literal(#","error":"#)
        error.write(to: &writer)
        writer.endObject()
    }

    /// - Parameter params: writes the members of `params`, which is present even without any.
    package static func request(
        _ id: RequestID, _ method: StaticString, into writer: inout JSONWriter, params: (inout JSONWriter) -> Void
    ) {
        begin(id, &writer)
        writer.literal(#","method":""#)
        writer.literal(method)
        writer.literal(#"","params":{"#)
        params(&writer)
        endNotification(into: &writer)
    }

    /// - Parameter params: writes the members of `params`, which is present even without any.
    package static func notification(
        _ method: StaticString, into writer: inout JSONWriter, params: (inout JSONWriter) -> Void
    ) {
        beginNotification(method, into: &writer)
        params(&writer)
        endNotification(into: &writer)
    }

    /// Writes everything before the members of `params`.
    package static func beginNotification(_ method: StaticString, into writer: inout JSONWriter) {
        writer.literal(#"{"jsonrpc":"2.0","method":""#)
        writer.literal(method)
        writer.literal(#"","params":{"#)
    }

    /// Writes everything after the members of `params`.
    package static func endNotification(into writer: inout JSONWriter) {
        writer.literal("}}")
    }

    private static func begin(_ id: RequestID?, _ writer: inout JSONWriter) {
        writer.literal(#"{"jsonrpc":"2.0","id":"#)
        if let id { id.write(to: &writer) } else { writer.null() }
    }
}
