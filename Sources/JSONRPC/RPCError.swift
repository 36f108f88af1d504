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

    /// The longest `message` and `data`, in bytes of JSON text. Both may quote the other side, and what is longer is
    /// cut.
    package static let messageBytes = 2_000
    package static let dataBytes = 2_000

    package init(_ code: ErrorCode, _ message: String, data: [UInt8]? = nil) {
        self.code = code
        self.message = message.cut(toJSONBytes: Self.messageBytes)
        self.data = data.map { $0.count <= Self.dataBytes ? $0 : Self.cut($0) }
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

// Quotes of the other side's text are cut, so that a long message never makes a long answer.
extension RPCError {
    /// The length beyond which strings in `data` are cut, in bytes of JSON text.
    private static let quotedBytes = 300
    /// The length of an array's JSON text, in bytes, beyond which further elements are left out.
    private static let listedBytes = 1_000

    private static func cut(_ data: [UInt8]) -> [UInt8] {
        guard let text = try? data.withUnsafeBytes({ try JSONText(validating: $0) }) else { return Array("null".utf8) }
        var writer = JSONWriter()
        text.withValue { writeCut($0, to: &writer) }
        let cut = writer.takeBytes()
        return cut.count <= dataBytes ? cut : Array("{}".utf8)
    }

    private static func writeCut(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .string:
            writer.string((value.string() ?? "").cut(toJSONBytes: quotedBytes))
        case .object:
            writer.beginObject()
            value.forEachMember { key, value in
                writer.key(key.string().cut(toJSONBytes: quotedBytes))
                writeCut(value, to: &writer)
            }
            writer.endObject()
        case .array:
            let start = writer.count
            var left = 0
            writer.beginArray()
            value.forEachElement { element in
                if writer.count - start < listedBytes { writeCut(element, to: &writer) } else { left += 1 }
            }
            if left > 0 { writer.string("… and \(left) more") }
            writer.endArray()
        case .number, .boolean, .null:
            writer.raw(value.text)
        }
    }
}

extension String {
    /// Returns the text. Where its JSON text would be longer than `maximum` bytes, it is cut between Unicode scalars and marked
    /// as cut.
    package func cut(toJSONBytes maximum: Int) -> String {
        // A byte takes six at most in JSON text, where it is a control character.
        guard utf8.count > maximum / 6 else { return self }
        let mark = "… (\(utf8.count) bytes)"
        var bytes = 0
        var fitting = unicodeScalars.startIndex
        for index in unicodeScalars.indices {
            if bytes <= maximum - mark.utf8.count { fitting = index }
            let scalar = unicodeScalars[index]
            switch scalar {
            case "\"", "\\": bytes += 2
            case _ where scalar.value < 0x20: bytes += 6
            default: bytes += UTF8.width(scalar)
            }
            guard bytes <= maximum else {
                // An escape of a JSON Pointer isn't cut in two.
                let whole = self[..<fitting]
                return "\(whole.last == "~" ? whole.dropLast() : whole)\(mark)"
            }
        }
        return self
    }
}
