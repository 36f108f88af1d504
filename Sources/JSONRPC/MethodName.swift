import JSON

/// A method's name as it stands in a message: borrowed with the message, so valid only while that is being handled.
///
/// Compared without making a `String`: that is for whoever tells it to a person.
package struct MethodName: CustomStringConvertible {
    private let text: JSONKey

    /// Nil when `value` is no string.
    init?(_ value: JSONValue) {
        guard let text = value.key else { return nil }
        self.text = text
    }

    package var description: String { text.string() }

    /// Whether this is the name, however it is escaped.
    package static func == (name: MethodName, expected: StaticString) -> Bool {
        name.text == expected
    }

    /// Where it is among `names`. Nearly all comparisons end at the length, so 14 take 300 instructions; making a string of
    /// the name and looking that up in a dictionary took 500.
    package func place(in names: [StaticString]) -> Int? {
        names.firstIndex { text == $0 }
    }
}
