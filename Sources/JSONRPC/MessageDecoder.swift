package import JSON

/// Reads messages from the bytes of frames (JSON-RPC 2.0, sections 4 to 6).
package struct MessageDecoder: Sendable {
    /// The most messages in one batch. Each may be owed an answer larger than itself.
    package let maximumBatchCount: Int
    /// How deep arrays and objects may be nested.
    package let maximumDepth: Int
    /// The most members of objects and elements of arrays in one frame, together. Each has a few bytes, and takes much more
    /// memory and time.
    package let maximumValues: Int
    /// The longest text of an id, in bytes. The answer repeats the id.
    package let maximumIDBytes: Int
    package let dialect: Dialect

    package init(
        maximumBatchCount: Int = 1024, maximumDepth: Int = 512, maximumValues: Int = .max,
        maximumIDBytes: Int = 1024, dialect: Dialect = .jsonRPC
    ) {
        self.maximumBatchCount = maximumBatchCount
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
        self.maximumIDBytes = maximumIDBytes
        self.dialect = dialect
    }

    /// The content of one frame.
    package enum Content {
        case message(Message)
        /// A batch, which is owed one array with the answers that its messages are owed.
        case batch([Message])
        /// A frame that can't be read. It is answered with this error and `"id": null`, as its id isn't known.
        case unreadable(RPCError)
    }

    /// Reads one frame.
    ///
    /// - Parameters:
    ///   - bytes: one frame. The result borrows them.
    ///   - notes: filled with the values of `params`, unless the frame is a batch.
    package func decode(_ bytes: UnsafeRawBufferPointer, notes: ValueNotes? = nil) -> Content {
        // A value and its comma are two bytes at least.
        if bytes.count / 2 > maximumValues, JSONReader.hasValues(bytes, moreThan: maximumValues) {
            let reason = "a message with more than \(maximumValues) members and elements"
            return refused(bytes, dialect.limitExceeded("messageValues", reason))
        }
        var reader = JSONReader(bytes, maximumDepth: maximumDepth)
        do throws(JSONError) {
            let content: Content =
                switch try reader.peekKind() {
                case .object: .message(try object(&reader, notes))
                case .array: batch(try reader.value())
                default: .message(message(try reader.value()))
                }
            try reader.end()
            return content
        } catch {
            let refusal = RPCError(.parseError, "not valid JSON: \(error)")
            if case .tooDeep = error.reason { return refused(bytes, refusal) }
            return .unreadable(refusal)
        }
    }

    /// Refuses a message that is too deep or too large to be read. The error has the message's id where that comes before the
    /// first array or object.
    private func refused(_ bytes: UnsafeRawBufferPointer, _ error: RPCError) -> Content {
        var id: JSONValue?
        // Reads up to the first member that is an array or an object, which is too deep for this reader.
        var reader = JSONReader(bytes, maximumDepth: 1)
        try? reader.forEachMember { key, value in if key == "id" { id = value } }
        guard let id, id.text.count <= maximumIDBytes, let requestID = RequestID(id) else { return .unreadable(error) }
        return .message(.invalid(error, id: requestID))
    }

    /// Checks the message's text and finds its members in the same pass.
    private func object(_ reader: inout JSONReader, _ notes: ValueNotes?) throws(JSONError) -> Message {
        var members = Members()
        // Nearly all messages begin so.
        members.hasVersion = reader.pass(#"{"jsonrpc":"2.0""#)
        if let notes {
            while let (key, value) = try reader.nextMember(noting: Members.params, in: notes) {
                members.take(key, value)
            }
        } else {
            try reader.forEachMember { key, value in members.take(key, value) }
        }
        return members.message(in: self)
    }

    private func batch(_ array: JSONValue) -> Content {
        var messages: [Message] = []
        var count = 0
        array.forEachElement { element in
            count += 1
            if count <= maximumBatchCount { messages.append(message(element)) }
        }
        if count == 0 {
            return .unreadable(RPCError(.invalidRequest, "an empty batch asks for nothing; send at least one message"))
        }
        if count > maximumBatchCount {
            let advice = "a batch of \(count) messages; send at most \(maximumBatchCount) in one"
            return .unreadable(dialect.limitExceeded("batchMessages", advice))
        }
        return .batch(messages)
    }

    private func message(_ value: JSONValue) -> Message {
        guard value.kind == .object else {
            return .invalid(RPCError(.invalidRequest, "a message is an object, not \(value.kind)"), id: nil)
        }
        var members = Members()
        value.forEachMember { key, value in members.take(key, value) }
        return members.message(in: self)
    }
}

/// The members of a message that have a meaning. Of duplicates the last counts.
private struct Members {
    /// Whether the last `"jsonrpc"` is `"2.0"`.
    var hasVersion = false
    private var id: JSONValue?
    private var method: JSONValue?
    private var params: JSONValue?
    private var response: Response?

    static let params: StaticString = "params"

    mutating func take(_ key: JSONKey, _ value: JSONValue) {
        if key == "jsonrpc" {
            hasVersion = value.isString("2.0")
        } else if key == "id" {
            id = value
        } else if key == "method" {
            method = value
        } else if key == Members.params {
            params = value
        } else if key == "error" {
            // Some write `"error":null` beside a result.
            if value.kind != .null || response == nil { response = .error(value) }
        } else if key == "result" {
            if response.map({ $0.isEmptyError }) ?? true { response = .result(value) }
        }
    }

    func message(in decoder: MessageDecoder) -> Message {
        if let id, id.text.count > decoder.maximumIDBytes {
            return invalid("\"id\" is longer than \(decoder.maximumIDBytes) bytes", nil)
        }
        let requestID = id.flatMap { RequestID($0) }
        guard let method else {
            if let response { return .response(id: requestID, response) }
            return invalid("neither a request (no \"method\") nor a response (no \"result\" or \"error\")", requestID)
        }
        guard hasVersion else {
            return invalid("\"jsonrpc\" must be \"2.0\"", requestID)
        }
        guard let name = MethodName(method) else {
            return invalid("\"method\" must be a string, not \(method.kind)", requestID)
        }
        guard let id else { return .notification(method: name, params: params) }
        guard let requestID else {
            let found =
                id.kind == .number ? "the number \(String(decoding: id.text, as: UTF8.self))" : id.kind.description
            return invalid("\"id\" must be a string or an integer, not \(found)", nil)
        }
        if params == nil, let cancellation = decoder.dialect.cancellationMethod, name == cancellation {
            return .cancellation(id: requestID)
        }
        return .request(id: requestID, method: name, params: params)
    }

    private func invalid(_ reason: String, _ id: RequestID?) -> Message {
        .invalid(RPCError(.invalidRequest, "not a JSON-RPC 2.0 message: \(reason)"), id: id)
    }
}
