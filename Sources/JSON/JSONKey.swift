/// A member's name inside validated bytes, valid only while they are.
///
/// Compares with literals as bytes, without making a `String`: `switch key { case "jsonrpc": … }`.
@usableFromInline
package struct JSONKey {
    @usableFromInline let text: JSONStringText

    @inline(__always)
    init(_ text: JSONStringText) {
        self.text = text
    }

    package func string() -> String { text.string() }

    /// Whether both are the same name, however they are escaped.
    package static func == (left: JSONKey, right: JSONKey) -> Bool {
        guard right.text.hasEscapes else { return left.text.isEqual(to: right.text.contents) }
        guard left.text.hasEscapes else { return right.text.isEqual(to: left.text.contents) }
        return left.string().utf8.elementsEqual(right.string().utf8)
    }

    /// Inlined, so that what is compared with several names is mostly a comparison of lengths.
    @inlinable @inline(__always)
    package static func == (key: JSONKey, name: StaticString) -> Bool { key.text.isEqual(to: name) }

    @inlinable
    package static func ~= (name: StaticString, key: JSONKey) -> Bool { key == name }
}
