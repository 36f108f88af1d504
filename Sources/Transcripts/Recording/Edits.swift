import JSON

/// Replacements of values in a JSON text. No two may overlap.
struct Edits {
    private let text: UnsafeRawBufferPointer
    private var edits: [(place: Range<Int>, new: (inout JSONWriter) -> Void)] = []

    init(of value: JSONValue) {
        text = value.text
    }

    mutating func replace(_ value: JSONValue, with new: String) {
        replace(value) { $0.string(new) }
    }

    mutating func replace(_ value: JSONValue, with write: @escaping (inout JSONWriter) -> Void) {
        guard let place = place(of: value) else { return }
        edits.append((place, write))
    }

    private func place(of value: JSONValue) -> Range<Int>? {
        guard let start = text.baseAddress, let place = value.text.baseAddress else { return nil }
        let offset = place - start
        return offset..<(offset + value.text.count)
    }

    /// Returns the text with all replacements; nil if there are none.
    func applied() -> JSONText? {
        guard !edits.isEmpty else { return nil }
        return JSONText { writer in
            var start = 0
            for (place, new) in edits.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
                writer.raw(UnsafeRawBufferPointer(rebasing: text[start..<place.lowerBound]))
                new(&writer)
                start = place.upperBound
            }
            writer.raw(UnsafeRawBufferPointer(rebasing: text[start...]))
        }
    }
}

extension Edits {
    /// Replaces a string or array by a matcher that takes any, with the recorded value as the sample for `mock`.
    mutating func loosen(_ value: JSONValue) {
        let (text, kind) = (JSONText(value), value.kind == .array ? "array" : "string")
        replace(value) { writer in
            writer.beginObject()
            writer.key("$match")
            writer.string(kind)
            writer.key("value")
            text.bytes.withUnsafeBytes { writer.raw($0) }
            writer.endObject()
        }
    }
}
