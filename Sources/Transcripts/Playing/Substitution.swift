import JSON
import JSONRPC

/// Turns a message of the transcript into the one that is sent in this play.
///
/// Keys, ids, tokens and matchers are replaced; everything else is sent byte by byte as it was recorded.
struct Substitution {
    let options: Player.Options
    let connection: Int
    let hasMatchers: Bool
    let bindings: Bindings
    /// Returns whether the request with this id was sent by the played side and has no answer yet.
    let isOwnRequest: (RequestID) -> Bool
    private var edits: [(range: Range<Int>, bytes: [UInt8])] = []
    private var shape = MessageShape.none
    private var base: UnsafeRawPointer?

    init(
        options: Player.Options, connection: Int, hasMatchers: Bool, bindings: Bindings,
        isOwnRequest: @escaping (RequestID) -> Bool
    ) {
        self.options = options
        self.connection = connection
        self.hasMatchers = hasMatchers
        self.bindings = bindings
        self.isOwnRequest = isOwnRequest
    }

    mutating func apply(to message: JSONText) -> JSONText {
        message.withValue { value in
            base = value.text.baseAddress
            if value.kind == .array {
                value.forEachElement { visitMessage($0) }
            } else {
                visitMessage(value)
            }
        }
        guard !edits.isEmpty else { return message }
        return JSONText(writing: { $0.raw(edited(message.bytes)) })
    }

    private mutating func visitMessage(_ value: JSONValue) {
        shape = MessageShape(value)
        visit(value, .message)
    }

    private mutating func visit(_ value: JSONValue, _ place: MessagePlace) {
        if hasMatchers, value.kind == .object, value.member("$match") != nil {
            replaceBySample(value, place)
            return
        }
        switch place {
        case .id where shape.kind == .answer: replaceID(value)
        case .call where shape.kind == .notification && shape.session == nil:
            if let id = RequestID(value), !isOwnRequest(id) { replaceID(value) }
        case .processID where options.side == .client && shape.kind == .request && value.kind == .number:
            if let processID = options.processID { replace(value) { $0.integer(processID) } }
        case .token where isRedactedToken(value):
            if let token = options.token { replace(value) { $0.string(token) } }
        case .id, .name: break
        case .payload where !hasMatchers: break
        default: visitParts(value, place)
        }
    }

    private mutating func visitParts(_ value: JSONValue, _ place: MessagePlace) {
        switch value.kind {
        case .object: value.forEachMember { name, member in visit(member, place.member(name)) }
        case .array: value.forEachElement { element in visit(element, place.element) }
        case .string where options.side == .client && !bindings.keys.isIdentity && place != .payload:
            guard let name = value.string().map(ScalarString.init), let key = bindings.keys.actual(for: name),
                key != name
            else { return }
            replace(value) { $0.string(key.string) }
        default: break
        }
    }

    /// Replaces a matcher by its sample: removes the text around the sample.
    private mutating func replaceBySample(_ matcher: JSONValue, _ place: MessagePlace) {
        guard let sample = MatcherTable.sample(matcher), let whole = range(of: matcher), let kept = range(of: sample)
        else { return }
        edits.append((whole.lowerBound..<kept.lowerBound, []))
        visit(sample, place)
        edits.append((kept.upperBound..<whole.upperBound, []))
    }

    /// Replaces the id in an answer, or in a notification that refers to a request, by the request's id in this play.
    private mutating func replaceID(_ value: JSONValue) {
        guard let id = RequestID(value) else { return }
        let bound = bindings.ids.actual(for: id, on: connection)
        if bound.description != id.description { replace(value) { bound.write(to: &$0) } }
    }

    private func isRedactedToken(_ value: JSONValue) -> Bool {
        options.side == .client && shape.kind == .request && value.isString(TranscriptEntry.redacted)
    }

    private mutating func replace(_ value: JSONValue, write: (inout JSONWriter) -> Void) {
        guard let range = range(of: value) else { return }
        edits.append((range, JSONText(writing: write).bytes))
    }

    private func range(of value: JSONValue) -> Range<Int>? {
        guard let base, let start = value.text.baseAddress else { return nil }
        let offset = start - base
        return offset..<(offset + value.text.count)
    }

    /// Returns the bytes with all edits applied. The edits must be in the order of the text and must not overlap.
    private func edited(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for edit in edits {
            result += bytes[end..<edit.range.lowerBound]
            result += edit.bytes
            end = edit.range.upperBound
        }
        return result + bytes[end...]
    }
}
