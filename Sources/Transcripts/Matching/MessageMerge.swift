import JSON
import JSONRPC
import Queues

/// Rewrites a received message for a transcript. Matchers of the expected message stay if they accept the received values, and
/// the play's keys and ids become the transcript's.
struct MessageMerge {
    /// The comparison of the expected values; its `learnt` has the bindings that were made on the way.
    private(set) var comparison: MessageComparison

    init(_ comparison: MessageComparison) {
        self.comparison = comparison
    }

    mutating func merge(_ actual: JSONText, into expected: JSONText?) -> JSONText {
        actual.withValue { actual in
            guard let expected else { return JSONText { write(actual, into: nil, &$0) } }
            return expected.withValue { expected in JSONText { write(actual, into: expected, &$0) } }
        }
    }

    private mutating func write(_ actual: JSONValue, into expected: JSONValue?, _ writer: inout JSONWriter) {
        guard actual.kind == .array else { return writeMessage(actual, into: expected, &writer) }
        var templates: [RequestID?: Deque<JSONValue>] = [:]
        expected?.forEachElement { templates[MessageShape($0).id, default: Deque()].append($0) }
        writer.beginArray()
        actual.forEachElement { element in
            writeMessage(element, into: templates[MessageShape(element).id]?.popFirst(), &writer)
        }
        writer.endArray()
    }

    private mutating func writeMessage(_ actual: JSONValue, into expected: JSONValue?, _ writer: inout JSONWriter) {
        comparison.begin(actual)
        write(actual, into: expected, .message, &writer)
    }

    private mutating func write(
        _ actual: JSONValue, into expected: JSONValue?, _ place: MessagePlace, _ writer: inout JSONWriter
    ) {
        if let expected, comparison.isKept(expected, for: actual, place) {
            writer.raw(expected.text)
            return
        }
        switch (actual.kind, place) {
        case (.object, _): writeObject(actual, into: expected, place, &writer)
        case (.array, _): writeArray(actual, into: expected, place, &writer)
        case (_, .id):
            comparison.keepID(actual)
            writer.raw(actual.text)
        case (_, .call):
            if let id = comparison.name(ofCall: actual) { id.write(to: &writer) } else { writer.raw(actual.text) }
        case (.string, _) where place != .name:
            if let name = comparison.name(of: actual, place) { writer.string(name) } else { writer.raw(actual.text) }
        default: writer.raw(actual.text)
        }
    }

    /// Writes an object: first the members that were expected, in the expected order, then the new ones.
    private mutating func writeObject(
        _ actual: JSONValue, into expected: JSONValue?, _ place: MessagePlace, _ writer: inout JSONWriter
    ) {
        let (actual, expected) = (ObjectMembers(actual), expected.map(ObjectMembers.init))
        writer.beginObject()
        for (offset, (name, value)) in (expected?.all ?? []).enumerated() {
            guard expected?.place(of: name, hint: offset) == offset, let found = actual.place(of: name, hint: offset)
            else { continue }
            writer.key(name.string())
            write(actual.all[found].value, into: value, place.member(name), &writer)
        }
        for (offset, (name, value)) in actual.all.enumerated() {
            guard actual.place(of: name, hint: offset) == offset, expected?.place(of: name, hint: offset) == nil
            else { continue }
            writer.key(name.string())
            write(value, into: nil, place.member(name), &writer)
        }
        writer.endObject()
    }

    private mutating func writeArray(
        _ actual: JSONValue, into expected: JSONValue?, _ place: MessagePlace, _ writer: inout JSONWriter
    ) {
        let templates = expected?.elements ?? []
        var offset = 0
        writer.beginArray()
        actual.forEachElement { element in
            write(element, into: offset < templates.count ? templates[offset] : nil, place.element, &writer)
            offset += 1
        }
        writer.endArray()
    }
}

extension MessageComparison {
    /// Whether the expected value is written instead of the received one, since it matches. False for objects and arrays
    /// without a matcher, which are merged part by part.
    fileprivate mutating func isKept(_ expected: JSONValue, for actual: JSONValue, _ place: MessagePlace) -> Bool {
        let isWhole = hasMatchers && expected.member("$match") != nil
        let isServers = takesAnyServer && place == .server
        guard isWhole || isServers || (expected.kind != .object && expected.kind != .array) else { return false }
        do throws(Difference) {
            try compare(expected, actual, place)
            return true
        } catch {
            return false
        }
    }

    /// Returns the transcript's key for a received one; nil if it is to be written as it is. An unknown key is bound to itself.
    fileprivate mutating func name(of actual: JSONValue, _ place: MessagePlace) -> String? {
        guard sender == .server, let came = actual.string().map(ScalarString.init) else { return nil }
        if let name = known.keys.expected(for: came) ?? learnt.keys.expected(for: came) { return name.string }
        if place == .key { learnt.keys.bind(came, to: came) }
        return nil
    }

    /// Returns the transcript's id of the request that a notification refers to; nil if that isn't bound.
    fileprivate func name(ofCall actual: JSONValue) -> RequestID? {
        guard shape.kind == .notification, shape.session == nil, let came = RequestID(actual) else { return nil }
        return known.ids.expected(forOpen: came, on: connection)
    }

    /// Binds the id of a request that isn't in the transcript to itself.
    fileprivate mutating func keepID(_ actual: JSONValue) {
        guard shape.kind == .request, let id = RequestID(actual), known.ids.open(id, on: connection) == nil else {
            return
        }
        learnt.ids.bind(id, to: id, on: connection)
    }
}
