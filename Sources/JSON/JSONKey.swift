/// A member's name inside validated bytes, valid only while they are.
///
/// Compares with literals as bytes, without making a `String`: `switch key { case "jsonrpc": … }`.
package struct JSONKey {
    let text: JSONStringText

    init(contents: UnsafeRawBufferPointer, hasEscapes: Bool) {
        text = JSONStringText(contents: contents, hasEscapes: hasEscapes)
    }

    package func string() -> String { text.string() }

    package static func == (key: JSONKey, name: StaticString) -> Bool {
        name.withUTF8Buffer { key.text.isEqual(to: UnsafeRawBufferPointer($0)) }
    }

    package static func ~= (name: StaticString, key: JSONKey) -> Bool { key == name }
}
