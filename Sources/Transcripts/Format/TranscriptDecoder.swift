import JSON

/// A decoder of the lines of a transcript.
///
/// White space and the order of members don't matter, since people edit transcripts. An unknown member of an entry is an error,
/// since it is usually a typing mistake.
struct TranscriptDecoder {
    /// 2⁵³ - 1, the largest integer that every JSON reader keeps exact, JavaScript's included.
    private static let maximum = 9_007_199_254_740_991

    let path: String

    func header(_ bytes: UnsafeRawBufferPointer) throws(TranscriptError) -> TranscriptHeader {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(validating: bytes)
        } catch {
            throw self.error(1, "\(Self.advice): \(Self.describe(error, in: bytes))")
        }
        guard let version = value.member("transcript") else { throw error(1, Self.advice) }
        guard version.integer(as: Int.self) == TranscriptHeader.version else {
            let found = shortened(String(decoding: version.text, as: UTF8.self))
            throw error(1, "version \(found) of the format is unknown; this program reads \(TranscriptHeader.version)")
        }
        return TranscriptHeader(
            title: try member("title", of: value) ?? "",
            server: try member("server", of: value),
            protocolVersion: try member("protocolVersion", of: value))
    }

    func entry(_ bytes: UnsafeRawBufferPointer, line: Int) throws(TranscriptError) -> TranscriptEntry {
        var members = Members()
        var unknown: String?
        try object(bytes, line: line).forEachMember { key, value in
            if !members.take(key, value) { unknown = key.string() }
        }
        if let unknown { throw error(line, "there is no member \"\(shortened(unknown))\" in a transcript") }
        guard let from = members.from?.string().flatMap(TranscriptSide.init) else {
            throw error(line, "\"from\" must be \"client\" or \"server\"")
        }
        let connection = try integer(members.connection, "connection", from: 1, line: line)
        let at = try integer(members.at, "at", from: 0, line: line)
        let content = try content(members, line: line)
        return TranscriptEntry(line: line, from: from, connection: connection, at: at, content: content)
    }

    private func content(_ members: Members, line: Int) throws(TranscriptError) -> TranscriptEntry.Content {
        let given = [members.message, members.text, members.unframed, members.end].count { $0 != nil }
        guard given == 1 else {
            let names = "\"message\", \"text\", \"unframed\" and \"end\""
            throw error(line, "exactly one of \(names) must be there, not \(given)")
        }
        if let message = members.message {
            guard message.kind == .object || message.kind == .array else {
                throw error(line, "\"message\" must be an object, or an array for a batch, not \(message.kind)")
            }
            return .message(JSONText(message))
        }
        if let text = members.text { return .text(try string(text, "text", line: line)) }
        if let text = members.unframed { return .unframed(try string(text, "unframed", line: line)) }
        guard members.end?.boolean() == true else { throw error(line, "\"end\" can only be true") }
        return .end
    }

    private func object(_ bytes: UnsafeRawBufferPointer, line: Int) throws(TranscriptError) -> JSONValue {
        let value: JSONValue
        do throws(JSONError) {
            // The message may use the full depth, and the line itself adds one level.
            value = try JSONValue(validating: bytes, maximumDepth: JSONReader.defaultMaximumDepth + 1)
        } catch {
            throw self.error(line, Self.describe(error, in: bytes))
        }
        guard value.kind == .object else { throw error(line, "a line must be a JSON object, not \(value.kind)") }
        return value
    }

    private func integer(
        _ value: JSONValue?, _ name: String, from minimum: Int, line: Int
    ) throws(TranscriptError) -> Int {
        guard let value else { return minimum }
        guard let integer = value.integer(as: Int.self), (minimum...Self.maximum).contains(integer) else {
            throw error(line, "\"\(name)\" must be an integer from \(minimum) to \(Self.maximum)")
        }
        return integer
    }

    private func member(_ name: StaticString, of header: JSONValue) throws(TranscriptError) -> String? {
        guard let member = header.member(name) else { return nil }
        return try string(member, "\(name)", line: 1)
    }

    private func string(_ value: JSONValue, _ name: String, line: Int) throws(TranscriptError) -> String {
        guard let string = value.string() else { throw error(line, "\"\(name)\" must be a string, not \(value.kind)") }
        return string
    }

    private func error(_ line: Int, _ reason: String) -> TranscriptError {
        TranscriptError(path: path, line: line, reason: reason)
    }

    private static let advice = "no transcript: its first line must be a header like {\"transcript\":1,\"title\":\"…\"}"

    private static func describe(_ error: JSONError, in bytes: UnsafeRawBufferPointer) -> String {
        switch error.reason {
        case .unexpectedEnd: "the line is cut off: \(error)"
        // The file ends in the middle of a character.
        case .invalidUTF8 where bytes[error.offset...].allSatisfy({ $0 >= 0x80 }): "the line is cut off: \(error)"
        case .unexpectedByte(0xEF, _) where error.offset == 0:
            "the file begins with a byte order mark; save it as UTF-8 without one"
        default: "not JSON: \(error)"
        }
    }

    /// Cuts a text from the file for an error message: in a broken file it may have any length.
    private func shortened(_ text: String) -> String {
        text.count <= 40 ? text : "\(text.prefix(40))…"
    }
}

/// The members of an entry, before they are checked.
private struct Members {
    var from: JSONValue?
    var connection: JSONValue?
    var at: JSONValue?
    var message: JSONValue?
    var text: JSONValue?
    var unframed: JSONValue?
    var end: JSONValue?

    /// Takes a member of an entry.
    ///
    /// - Returns: whether entries have a member of this name.
    mutating func take(_ key: JSONKey, _ value: JSONValue) -> Bool {
        switch key {
        case "from": from = value
        case "connection": connection = value
        case "at": at = value
        case "message": message = value
        case "text": text = value
        case "unframed": unframed = value
        case "end": end = value
        default: return false
        }
        return true
    }
}
