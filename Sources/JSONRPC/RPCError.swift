package import JSON

/// An answer that says what went wrong: `code`, a `message` that a person can act on, and `data` for programs.
package struct RPCError: Error, Sendable, Equatable {
    package let code: ErrorCode
    package let message: String
    /// JSON text of one value, valid and without a raw newline.
    package let data: [UInt8]?

    package init(_ code: ErrorCode, _ message: String, data: [UInt8]? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Makes `data` from the members that `write` adds to an object.
    package init(_ code: ErrorCode, _ message: String, data write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        self.init(code, message, data: writer.takeBytes())
    }

    package static func invalidParams(at path: JSONPointer, _ reason: String) -> RPCError {
        let place = path == .root ? "params" : path.description
        return RPCError(.invalidParams, "\(place): \(reason)") { data in
            data.key("path")
            data.string(path.description)
            data.key("reason")
            data.string(reason)
        }
    }

    package static func invalidParams(_ error: JSONCodingError) -> RPCError {
        invalidParams(at: error.path, error.reason)
    }

    /// - Parameter retryAfterMilliseconds: when trying again may help; nil when it won't.
    package static func limitExceeded(
        _ limit: String,
        _ message: String,
        retryAfterMilliseconds: Int? = nil
    ) -> RPCError {
        RPCError(.limitExceeded, message) { data in
            data.key("limit")
            data.string(limit)
            if let retryAfterMilliseconds {
                data.key("retryAfterMs")
                data.integer(retryAfterMilliseconds)
            }
        }
    }
}

extension RPCError {
    /// Writes the `error` object: these three members and no other, which is all that the strictest client takes.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("code")
        writer.integer(code.rawValue)
        writer.key("message")
        writer.string(message)
        if let data {
            writer.key("data")
            writer.raw(data)
        }
        writer.endObject()
    }
}
