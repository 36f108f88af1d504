/// A member's name inside validated bytes, valid only while they are.
///
/// Compares with literals as bytes, without making a `String`: `switch key { case "jsonrpc": … }`. Inlined where that is
/// done, since nearly all comparisons end at the length: a message's members took 850 instructions, and take 200.
@usableFromInline
package struct JSONKey {
    @usableFromInline let text: JSONStringText

    init(contents: UnsafeRawBufferPointer, hasEscapes: Bool) {
        text = JSONStringText(contents: contents, hasEscapes: hasEscapes)
    }

    package func string() -> String { text.string() }

    /// Whether both are the same name, however they are escaped.
    package static func == (left: JSONKey, right: JSONKey) -> Bool {
        guard right.text.hasEscapes else { return left.text.isEqual(to: right.text.contents) }
        guard left.text.hasEscapes else { return right.text.isEqual(to: left.text.contents) }
        return left.string().utf8.elementsEqual(right.string().utf8)
    }

    @inlinable
    package static func == (key: JSONKey, name: StaticString) -> Bool {
        name.withUTF8Buffer { name in
            let name = UnsafeRawBufferPointer(name)
            return key.text.hasEscapes ? key.text.isEqual(to: name) : ByteScan.isEqual(key.text.contents, name)
        }
    }

    @inlinable
    package static func ~= (name: StaticString, key: JSONKey) -> Bool { key == name }
}
