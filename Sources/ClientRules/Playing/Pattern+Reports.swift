import JSON
import Transcripts

extension Pattern {
    /// Returns the expected and the actual message for a report, without what the pattern leaves open.
    func reported(_ expected: JSONText?, _ actual: JSONText?) -> (JSONText?, JSONText?) {
        guard let expected, let actual else { return (expected, actual) }
        return expected.withValue { expected in
            actual.withValue { actual in
                let isSame = JSONText(expected).method == JSONText(actual).method
                let part = isSame ? Pattern.part(of: actual, like: expected) : JSONText(actual).without("jsonrpc")
                guard expected.member("method") != nil, let id = actual.member("id") else {
                    return (shown(expected, beside: actual), part)
                }
                // A request's id is the client's choice, so the actual one is shown.
                return (shown(expected, beside: actual).with("id", JSONText(id)), part)
            }
        }
    }

    /// Returns a pattern for a report, beside the value that came. If a part of the pattern accepts its value, the value is
    /// shown in place of the part.
    private func shown(_ expected: JSONValue, beside actual: JSONValue) -> JSONText {
        JSONText { writer in show(expected, beside: actual, into: &writer) }
    }

    private func show(_ expected: JSONValue, beside actual: JSONValue, into writer: inout JSONWriter) {
        if Self.isSpecial(expected) {
            var copy = self
            let isTaken = (try? copy.compare(expected, with: actual)) != nil
            let known = expected.member("$is")?.string().flatMap { values[$0] }
            if isTaken {
                writer.compact(actual)
            } else if let known {
                writer.raw(known.bytes)
            } else {
                writer.compact(expected)
            }
            return
        }
        switch (expected.kind, actual.kind) {
        case (.object, .object):
            let members = ObjectMembers(actual)
            writer.beginObject()
            expected.forEachMember { name, value in
                writer.key(name.string())
                if let place = members.place(of: name, hint: 0) {
                    show(value, beside: members.all[place].value, into: &writer)
                } else {
                    writer.compact(value)
                }
            }
            writer.endObject()
        case (.array, .array):
            let elements = actual.elements
            writer.beginArray()
            for (offset, element) in expected.elements.enumerated() {
                if offset < elements.count {
                    show(element, beside: elements[offset], into: &writer)
                } else {
                    writer.compact(element)
                }
            }
            writer.endArray()
        default: writer.compact(expected)
        }
    }

    /// Returns the parts of a value that a pattern names, since a report doesn't show what the pattern leaves open.
    private static func part(of actual: JSONValue, like expected: JSONValue) -> JSONText {
        JSONText { writer in write(actual, like: expected, into: &writer) }
    }

    private static func write(_ actual: JSONValue, like expected: JSONValue, into writer: inout JSONWriter) {
        switch (expected.kind, actual.kind) {
        case (.object, .object) where !Pattern.isSpecial(expected):
            let members = ObjectMembers(actual)
            writer.beginObject()
            expected.forEachMember { name, value in
                guard let place = members.place(of: name, hint: 0) else { return }
                writer.key(name.string())
                write(members.all[place].value, like: value, into: &writer)
            }
            writer.endObject()
        case (.array, .array):
            let patterns = expected.elements
            writer.beginArray()
            for (offset, element) in actual.elements.enumerated() {
                if offset < patterns.count {
                    write(element, like: patterns[offset], into: &writer)
                } else {
                    writer.compact(element)
                }
            }
            writer.endArray()
        default: writer.compact(actual)
        }
    }
}

extension JSONText {
    fileprivate func without(_ name: StaticString) -> JSONText {
        JSONText { writer in
            writer.beginObject()
            withValue { value in
                value.forEachMember { other, value in
                    guard !(other == name) else { return }
                    writer.key(other.string())
                    writer.compact(value)
                }
            }
            writer.endObject()
        }
    }

    /// Returns the object with another value for a member that it has.
    fileprivate func with(_ name: StaticString, _ other: JSONText) -> JSONText {
        JSONText { writer in
            writer.beginObject()
            withValue { value in
                value.forEachMember { member, value in
                    writer.key(member.string())
                    if member == name { writer.raw(other.bytes) } else { writer.compact(value) }
                }
            }
            writer.endObject()
        }
    }
}
