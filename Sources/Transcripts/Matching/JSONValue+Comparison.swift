import JSON

extension JSONValue {
    var elements: [JSONValue] {
        var elements: [JSONValue] = []
        forEachElement { elements.append($0) }
        return elements
    }

    /// Whether both are strings of the same scalars, however they are escaped.
    func isSameString(as other: JSONValue) -> Bool {
        guard kind == .string, other.kind == .string else { return false }
        if text.elementsEqual(other.text) { return true }
        let backslash = UInt8(ascii: "\\")
        guard text.contains(backslash) || other.text.contains(backslash) else { return false }
        guard let left = string(), let right = other.string() else { return false }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// An integer or null, as clients give their process.
    var isProcessID: Bool { kind == .null || integer(as: Int64.self) != nil }
}
