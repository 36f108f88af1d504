/// Access to the members of objects and the elements of arrays.
extension JSONValue {
    /// Returns a member's value; nil if this is not an object or has no such member. Of duplicate names the last one counts.
    package func member(_ name: StaticString) -> JSONValue? {
        var found: JSONValue?
        forEachMember { key, value in found = key == name ? value : found }
        return found
    }

    /// Calls `body` for each member in the order of the text, duplicates included; never if this is not an object.
    ///
    /// Inlined, so that a pass for several members costs no call of a closure and no generic error.
    @inlinable
    package func forEachMember<E: Error>(_ body: (JSONKey, JSONValue) throws(E) -> Void) throws(E) {
        var reader = JSONReader(text, maximumDepth: .max)
        while let (key, value) = (try? reader.nextMember()) ?? nil { try body(key, value) }
    }

    /// Calls `body` for each element in order; never if this is not an array.
    package func forEachElement<E: Error>(_ body: (JSONValue) throws(E) -> Void) throws(E) {
        var reader = JSONReader(text, maximumDepth: .max)
        while let element = (try? reader.nextElement()) ?? nil { try body(element) }
    }
}

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
        left.text.hasEscapes
            ? right.text.isEqual(to: left.string()) : right.text.isEqual(to: left.text.contents)
    }

    /// Compares the name with a literal. Inlined, so that a comparison with several names is mostly one of lengths.
    @inlinable @inline(__always)
    package static func == (key: JSONKey, name: StaticString) -> Bool { key.text.isEqual(to: name) }

    @inlinable @inline(__always)
    package static func ~= (name: StaticString, key: JSONKey) -> Bool { key == name }
}
