import JSON

/// A method's name as it stands in a message: borrowed with the message, so valid only while that is being handled.
///
/// Compared without making a `String`: that is for whoever tells it to a person.
package struct MethodName: CustomStringConvertible {
    /// What stands between the quotes, escapes and all: the name itself, unless there are some.
    package let text: UnsafeRawBufferPointer
    private let value: JSONValue

    /// Nil when `value` is no string.
    init?(_ value: JSONValue) {
        guard value.kind == .string, value.text.count >= 2 else { return nil }
        text = UnsafeRawBufferPointer(rebasing: value.text[1..<(value.text.count - 1)])
        self.value = value
    }

    package var description: String { value.string() ?? "" }

    package var hasEscapes: Bool { text.contains(UInt8(ascii: "\\")) }

    /// Whether this is the name, however it is escaped.
    ///
    /// - Parameter expected: has no backslash, as no method's name has.
    package static func == (name: MethodName, expected: StaticString) -> Bool {
        let length = expected.utf8CodeUnitCount
        // No escape is shorter than what it stands for.
        guard name.text.count <= length else { return name.hasEscapes && name.value.isString(expected) }
        return name.text.count == length && expected.withUTF8Buffer { name.text.elementsEqual($0) }
    }
}
