import JSON

/// Writes a value again from what navigation finds in it: what validates must also navigate.
func rewrite(_ value: JSONValue, into writer: inout JSONWriter) {
    switch value.kind {
    case .object:
        writer.beginObject()
        value.forEachMember { key, value in
            writer.key(key.string())
            rewrite(value, into: &writer)
        }
        writer.endObject()
    case .array:
        writer.beginArray()
        value.forEachElement { rewrite($0, into: &writer) }
        writer.endArray()
    case .string: writer.string(value.string() ?? "")
    case .number: rewriteNumber(value, into: &writer)
    case .boolean: writer.boolean(value.boolean() ?? false)
    case .null: writer.null()
    }
}

private func rewriteNumber(_ value: JSONValue, into writer: inout JSONWriter) {
    if value.isIntegerText(), let integer = value.integer(as: Int64.self) {
        writer.integer(integer)
    } else if let double = value.double() {
        try? ValueEncoder().encode(double, into: &writer)
    } else {
        writer.raw(value.text)
    }
}
