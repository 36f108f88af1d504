package import JSON

/// The kind of an error, for programs. These are JSON-RPC 2.0's own (section 5.1); protocols add theirs.
package struct ErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let parseError = ErrorCode(rawValue: -32700)
    package static let invalidRequest = ErrorCode(rawValue: -32600)
    package static let methodNotFound = ErrorCode(rawValue: -32601)
    package static let invalidParams = ErrorCode(rawValue: -32602)
    package static let internalError = ErrorCode(rawValue: -32603)
}

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

    /// - Parameter path: the member's place in `params`.
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
