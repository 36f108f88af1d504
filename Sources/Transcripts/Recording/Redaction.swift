import JSON

/// Takes out of messages what would give a reader of the transcript access to a server: tokens, session keys, and the
/// `once` of an opening, by which anybody would be given its session's key.
///
/// Keys are replaced by "key-1", "key-2", … in the order of their first occurrence, so that they can still be followed
/// through the conversation. Each string member named `key` is one, except in a view model's own data: arguments and
/// events. The same goes for `once`. Strings that contain JSON are searched as well.
struct Redaction {
    /// By prefix and secret.
    private var aliases: [String: [String: String]] = [:]

    mutating func redact(_ content: TranscriptEntry.Content, from side: TranscriptSide) -> TranscriptEntry.Content {
        switch content {
        case .message(let message): .message(redact(message, from: side))
        case .text: .text("\(TranscriptEntry.redacted)")
        case .unframed: .unframed("\(TranscriptEntry.redacted)")
        case .end: .end
        }
    }

    private mutating func redact(_ text: JSONText, from side: TranscriptSide) -> JSONText {
        text.withValue { value in
            var edits = Edits(of: value)
            if side == .client {
                Self.findTokens(in: value, &edits)
                value.forEachElement { Self.findTokens(in: $0, &edits) }
            }
            findKeys(in: value, &edits)
            return edits.applied() ?? text
        }
    }

    private static func findTokens(in message: JSONValue, _ edits: inout Edits) {
        guard message.member("method") != nil, message.member("id") != nil, let params = message.member("params") else {
            return
        }
        // Clients with an LSP library may send by-position params of one object.
        params.forEachElement { findTokens(inParams: $0, &edits) }
        findTokens(inParams: params, &edits)
    }

    private static func findTokens(inParams params: JSONValue, _ edits: inout Edits) {
        params.forEachMember { name, value in
            if name == "token" { edits.redact(value) }
            if name == "initializationOptions" {
                value.forEachMember { name, value in
                    if name == "token" { edits.redact(value) }
                }
            }
        }
    }

    private mutating func findKeys(in value: JSONValue, _ edits: inout Edits) {
        if value.kind == .string { return findSecrets(inText: value, &edits) }
        value.forEachElement { findKeys(in: $0, &edits) }
        value.forEachMember { name, value in
            switch name {
            case "event", "arguments", "snapshot": break
            case "key": if let key = value.string() { edits.replace(value, with: alias(of: key, "key-")) }
            // As long as a server wants it to be.
            case "once":
                if let once = value.string() { edits.replace(value, with: alias(of: once, "once-redacted-000000000-")) }
            default: findKeys(in: value, &edits)
            }
        }
    }

    /// Searches a string that contains JSON: a server that traces repeats the client's messages in strings.
    private mutating func findSecrets(inText string: JSONValue, _ edits: inout Edits) {
        // Most strings end here: the first character after the quotation mark begins no JSON.
        guard let first = string.text.dropFirst().first, "{[".utf8.contains(first),
            let text = string.string(),
            let inner = Array(text.utf8).withUnsafeBytes({ try? JSONText(validating: $0) })
        else { return }
        let redacted = inner.withValue { value in
            var edits = Edits(of: value)
            Self.findTokens(in: value, &edits)
            Self.findTokens(inParams: value, &edits)
            findKeys(in: value, &edits)
            return edits.applied()
        }
        if let redacted { edits.replace(string, with: redacted.description) }
    }

    /// - Parameter prefix: "1", "2", … follow it.
    private mutating func alias(of secret: String, _ prefix: String) -> String {
        if let alias = aliases[prefix]?[secret] { return alias }
        let alias = "\(prefix)\((aliases[prefix]?.count ?? 0) + 1)"
        aliases[prefix, default: [:]][secret] = alias
        return alias
    }
}

/// Replacements of strings in a text.
private struct Edits {
    private let text: UnsafeRawBufferPointer
    private var edits: [(place: Range<Int>, new: String)] = []
    /// The offsets of tokens, which are found first. A token isn't searched for keys.
    private var tokens: Set<Int> = []

    init(of value: JSONValue) {
        text = value.text
    }

    mutating func redact(_ value: JSONValue) {
        guard value.kind == .string, let place = place(of: value) else { return }
        edits.append((place, "\(TranscriptEntry.redacted)"))
        tokens.insert(place.lowerBound)
    }

    mutating func replace(_ value: JSONValue, with new: String) {
        guard let place = place(of: value), !tokens.contains(place.lowerBound) else { return }
        edits.append((place, new))
    }

    private func place(of value: JSONValue) -> Range<Int>? {
        guard let start = text.baseAddress, let place = value.text.baseAddress else { return nil }
        let offset = place - start
        return offset..<(offset + value.text.count)
    }

    /// Nil when there is nothing to replace.
    func applied() -> JSONText? {
        guard !edits.isEmpty else { return nil }
        return JSONText { writer in
            var start = 0
            for (place, new) in edits.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
                writer.raw(UnsafeRawBufferPointer(rebasing: text[start..<place.lowerBound]))
                writer.string(new)
                start = place.upperBound
            }
            writer.raw(UnsafeRawBufferPointer(rebasing: text[start...]))
        }
    }
}
