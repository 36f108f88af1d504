import JSON
import ViewModelProtocol

/// Redacts what would give a reader of the transcript access to a server: tokens, session keys, and the `once` of an opening,
/// with which anybody could get the session's key.
///
/// A token is any member named `token` that is a string, number or array, at any place except the params of `$/progress`. (An
/// object named `token` is part of a schema, so it is only searched.) A key is any string member named `key`, and a `once` any
/// named `once`, except in a view model's own data, arguments and events. Keys become "key-1", "key-2", … in the order of their
/// first occurrence, so that a reader can still follow them through the conversation; the same goes for `once`. Strings are
/// searched, too: as JSON if they are valid JSON, otherwise for text that looks like such a member.
struct Redaction {
    private static let keyPrefix = "key-"
    /// Long enough for a server to accept the alias as a `once`.
    private static let oncePrefix = "once-redacted-000000000-"

    /// The replacement for each secret, by prefix and secret.
    private var aliases: [String: [String: String]] = [:]

    mutating func redact(_ content: TranscriptEntry.Content) -> TranscriptEntry.Content {
        switch content {
        case .message(let message): .message(redact(message))
        case .text: .text("\(TranscriptEntry.redacted)")
        case .unframed: .unframed("\(TranscriptEntry.redacted)")
        case .end: .end
        }
    }

    private mutating func redact(_ text: JSONText) -> JSONText {
        text.withValue { value in
            var edits = Edits(of: value)
            if value.kind == .array {
                value.forEachElement { findSecrets(inMessage: $0, &edits) }
            } else {
                findSecrets(inMessage: value, &edits)
            }
            return edits.applied() ?? text
        }
    }

    private mutating func findSecrets(inMessage message: JSONValue, _ edits: inout Edits) {
        let isProgress = message.member("method")?.isString(Progress.name) ?? false
        findSecrets(in: message, isProgress: isProgress, &edits)
    }

    /// Adds the replacements of all secrets in a value to `edits`.
    ///
    /// - Parameters:
    ///   - isData: whether the value is inside a view model's own data, where a `key` isn't a session's.
    ///   - isProgress: whether the value is a `$/progress` message or its params, in which `token` is no secret.
    private mutating func findSecrets(
        in value: JSONValue, isData: Bool = false, isProgress: Bool = false, _ edits: inout Edits
    ) {
        if value.kind == .string { return findSecrets(inText: value, isData: isData, &edits) }
        value.forEachElement { findSecrets(in: $0, isData: isData, &edits) }
        value.forEachMember { name, value in
            switch name {
            case "token" where [.string, .number, .array].contains(value.kind) && !isProgress:
                edits.replace(value, with: "\(TranscriptEntry.redacted)")
            case "key" where value.kind == .string && !isData:
                if let key = value.string() { edits.replace(value, with: alias(of: key, Self.keyPrefix)) }
            case "once" where value.kind == .string && !isData:
                if let once = value.string() { edits.replace(value, with: alias(of: once, Self.oncePrefix)) }
            case "event", "arguments", "snapshot":
                findSecrets(in: value, isData: true, &edits)
            case "params" where isProgress:
                findSecrets(in: value, isData: isData, isProgress: true, &edits)
            default:
                findSecrets(in: value, isData: isData, &edits)
            }
        }
    }

    /// Adds the replacements of all secrets in a string, since a server that traces repeats the client's messages in strings.
    private mutating func findSecrets(inText string: JSONValue, isData: Bool, _ edits: inout Edits) {
        guard let text = string.string(), text.utf8.contains(UInt8(ascii: "\"")) else { return }
        guard let inner = Array(text.utf8).withUnsafeBytes({ try? JSONText(validating: $0) }) else {
            var search = SecretSearch(text)
            while let found = search.next() {
                switch found.name {
                case .token: search.replace(found, with: "\(TranscriptEntry.redacted)")
                case .key where !isData: search.replace(found, with: alias(of: found.value, Self.keyPrefix))
                case .once where !isData: search.replace(found, with: alias(of: found.value, Self.oncePrefix))
                case .key, .once: break
                }
            }
            if let redacted = search.redacted { edits.replace(string, with: redacted) }
            return
        }
        let redacted = inner.withValue { value in
            var edits = Edits(of: value)
            findSecrets(in: value, isData: isData, &edits)
            return edits.applied()
        }
        if let redacted { edits.replace(string, with: redacted.description) }
    }

    /// Returns the replacement for a secret: always the same one for the same secret.
    ///
    /// - Parameter prefix: the beginning of the replacement; "1", "2", … follow.
    private mutating func alias(of secret: String, _ prefix: String) -> String {
        if let alias = aliases[prefix]?[secret] { return alias }
        let alias = "\(prefix)\((aliases[prefix]?.count ?? 0) + 1)"
        aliases[prefix, default: [:]][secret] = alias
        return alias
    }
}

/// A search for members named `token`, `key` and `once` in text that isn't JSON as a whole: JSON that is cut off, quoted once
/// more, or has words around it.
private struct SecretSearch {
    enum Name: String, CaseIterable {
        case token, key, once
    }

    struct Secret {
        let name: Name
        let value: String
        fileprivate let place: Range<Int>
    }

    private let text: [UInt8]
    private var offset = 0
    private var output: [UInt8] = []
    /// The number of bytes of `text` that were copied to `output`.
    private var copied = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    /// The text with all replacements; nil if nothing was replaced.
    var redacted: String? {
        copied == 0 ? nil : String(decoding: output + text[copied...], as: UTF8.self)
    }

    mutating func replace(_ secret: Secret, with new: String) {
        output += text[copied..<secret.place.lowerBound] + Array(new.utf8)
        copied = secret.place.upperBound
    }

    /// Returns the next string that follows one of the names and a colon, up to its closing quote or the end of the text.
    mutating func next() -> Secret? {
        while let quote = text[offset...].firstIndex(of: UInt8(ascii: "\"")) {
            offset = quote + 1
            // If the text was quoted once more, the same number of backslashes precedes each quote.
            let escapes = Array(text[..<quote].reversed().prefix { $0 == UInt8(ascii: "\\") })
            for name in Name.allCases {
                guard let start = start(ofValueOf: name.rawValue, behind: quote + 1, escapes) else { continue }
                let end = end(ofValueAt: start, escapes)
                offset = end
                let value = String(decoding: text[start..<end], as: UTF8.self)
                return Secret(name: name, value: value, place: start..<end)
            }
        }
        return nil
    }

    private func start(ofValueOf name: String, behind start: Int, _ escapes: [UInt8]) -> Int? {
        let quote = escapes + [UInt8(ascii: "\"")]
        guard text[start...].starts(with: name.utf8 + quote) else { return nil }
        var offset = endOfBlanks(start + name.utf8.count + quote.count)
        guard offset < text.count, text[offset] == UInt8(ascii: ":") else { return nil }
        offset = endOfBlanks(offset + 1)
        return text[offset...].starts(with: quote) ? offset + quote.count : nil
    }

    private func end(ofValueAt start: Int, _ escapes: [UInt8]) -> Int {
        var (offset, backslashes) = (start, 0)
        while offset < text.count {
            if text[offset] == UInt8(ascii: "\""), backslashes == escapes.count { return offset - backslashes }
            backslashes = text[offset] == UInt8(ascii: "\\") ? backslashes + 1 : 0
            // Both bytes of an escape are passed, so that an escaped backslash doesn't count for a quote behind it.
            if escapes.isEmpty, backslashes == 1, offset + 1 < text.count {
                (offset, backslashes) = (offset + 1, 0)
            }
            offset += 1
        }
        return text.count
    }

    private func endOfBlanks(_ start: Int) -> Int {
        text[start...].firstIndex { $0 != 0x20 && !(0x09...0x0D).contains($0) } ?? text.count
    }
}
