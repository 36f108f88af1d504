package import JSON

/// A message's `params`, read member by member; every failure is an `InvalidParams` that names the member.
///
/// Borrows the message's bytes: valid only while the message is being handled.
package struct Params {
    /// The object with the parameters; nil where there are none.
    package let object: JSONValue?

    /// Takes the forms that clients in use send: an object, nothing, `null`, `[]`, `[null]`, or an object in an array.
    package init(_ value: JSONValue?) throws(RPCError) {
        switch value?.kind {
        case nil, .null:
            object = nil
        case .object:
            object = value
        case .array:
            object = try Params.only(in: value)
        case .string, .number, .boolean:
            throw .invalidParams(at: .root, "expected an object")
        }
    }

    private static func only(in array: JSONValue?) throws(RPCError) -> JSONValue? {
        var elements: [JSONValue] = []
        array?.forEachElement { if elements.count < 2 { elements.append($0) } }
        guard let first = elements.first else { return nil }
        guard elements.count == 1, first.kind == .object || first.kind == .null else {
            throw .invalidParams(at: .root, "expected an object with named members, not values by position")
        }
        return first.kind == .null ? nil : first
    }

    /// The member's value; nil when it is absent or null.
    package func value(_ name: StaticString) -> JSONValue? {
        guard let value = object?.member(name), value.kind != .null else { return nil }
        return value
    }

    package func requiredValue(_ name: StaticString) throws(RPCError) -> JSONValue {
        guard let value = value(name) else { throw .invalidParams(at: Params.path(name), "missing") }
        return value
    }

    package func string(_ name: StaticString) throws(RPCError) -> String? {
        guard let value = value(name) else { return nil }
        guard let string = value.string() else {
            throw .invalidParams(at: Params.path(name), "expected a string but found \(value.kind)")
        }
        return string
    }

    package func requiredString(_ name: StaticString) throws(RPCError) -> String {
        guard let string = try string(name) else { throw .invalidParams(at: Params.path(name), "missing") }
        return string
    }

    package func integer(_ name: StaticString) throws(RPCError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let integer = value.integer(as: Int.self) else {
            let found = value.kind == .number ? String(decoding: value.text, as: UTF8.self) : value.kind.description
            throw .invalidParams(at: Params.path(name), "expected a 64-bit integer but found \(found)")
        }
        return integer
    }

    package func requiredInteger(_ name: StaticString) throws(RPCError) -> Int {
        guard let integer = try integer(name) else { throw .invalidParams(at: Params.path(name), "missing") }
        return integer
    }

    package static func path(_ name: StaticString) -> JSONPointer {
        JSONPointer.root.appending("\(name)")
    }
}
