import JSON
import JSONRPC
import Queues

/// Writes a message that came as a transcript should have it: with the matchers of the expected one where they still hold, and
/// with the transcript's names for keys and ids.
struct MessageMerge {
    /// Knows what was learnt on the way.
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

    /// In the order that the members had, then those that are new.
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
