/// The flat shape of an event (PROTOCOL, "The shape of an event"), as opposed to the keyed form that Swift synthesizes for
/// enums (SE-0295): `{"selectOrder":{"index":3}}` in Swift is `{"kind":"selectOrder","index":3}` on the wire.
package enum EventShape {
    package static let kind = "kind"

    /// Returns the wire's name for an associated value: `value` for `_0`, `value1` for `_1`, otherwise the label.
    package static func member(for key: some CodingKey) -> String {
        let label = key.stringValue
        guard let position = position(label) else { return label }
        return position == "0" ? "value" : "value\(position)"
    }

    /// Whether a label is surely its own name on the wire and clashes with no other. Decided by length and first byte alone,
    /// which is enough for nearly all labels; false if the label must be looked at more closely.
    @inline(__always)
    static func isClear(_ label: String) -> Bool {
        let length = label.utf8.count
        return label.utf8.first != UInt8(ascii: "_") && length != 4 && length != 7
    }

    /// Returns why an associated value can't be on the wire under its label; nil if it can.
    package static func clash<Key: CodingKey>(_ key: Key) -> String? {
        let label = key.stringValue
        switch label {
        case kind: return "an associated value can't be labelled 'kind': an event's kind is called so"
        case "jsonrpc": return "an associated value can't be labelled 'jsonrpc': clients in use take it for a message"
        default: break
        }
        guard position(label) != nil else { return nil }
        let name = member(for: key)
        guard Key(stringValue: name) != nil else { return nil }
        return "the label '\(name)' is the name of a value without a label"
    }

    /// Returns the name of a member of an event with a hand-written `encode(to:)`.
    ///
    /// - Throws: if clients would take the event for a message.
    static func checked(member: String) throws -> String {
        guard member == "jsonrpc" else { return member }
        let reason = "an event can't have a member 'jsonrpc': clients in use take it for a message"
        throw EncodingError.invalid(member, member: member, reason)
    }

    /// Whether coding keys that include `kind` name the cases of an enum, and not the members of an event with hand-written
    /// flat coding.
    ///
    /// Such an enum is recognized by the type name that SE-0295 gives to the keys of a case's values.
    package static func isCase<Values: CodingKey>(values: Values.Type) -> Bool {
        let name = String(describing: Values.self)
        // For a case with a raw identifier (SE-0451), the type's name is a raw identifier, too, in backquotes.
        return name != "CodingKeys" && (name.hasSuffix("CodingKeys") || name.hasSuffix("CodingKeys`"))
    }

    /// Whether `Key` accepts only a fixed set of names, as an enum does.
    static func isClosed<Key: CodingKey>(_ type: Key.Type) -> Bool {
        Key(stringValue: "\u{0}no name") == nil
    }

    /// Returns the reason for an unknown kind, which quotes at most 100 characters: a client's text may be megabytes long.
    static func unknown(_ kind: String) -> String {
        "unknown kind '\(kind.utf8.count <= 100 ? kind : "\(kind.prefix(100))…")'"
    }

    /// Whether a type's own code encodes and decodes nothing but the type itself, so that an event can't get its kind from it.
    static func isScalar(_ type: any Any.Type) -> Bool {
        type == Bool.self || type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type
    }

    /// Returns the digits of `_0`, `_1`, …; nil for any other label.
    private static func position(_ label: String) -> Substring? {
        guard label.utf8.first == UInt8(ascii: "_"), label.utf8.count > 1 else { return nil }
        let digits = label.dropFirst()
        return digits.utf8.allSatisfy(ASCII.isDigit) ? digits : nil
    }
}
