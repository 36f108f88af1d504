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

    /// One member, whether it is there or not.
    package func member(_ name: StaticString) -> Member {
        var member = Member(name: name)
        object?.forEachMember { member.take($0, $1) }
        return member
    }

    /// Four members from one pass over the object, where one by one each takes a pass of its own.
    package func members(
        _ first: StaticString, _ second: StaticString, _ third: StaticString, _ fourth: StaticString
    ) -> (Member, Member, Member, Member) {
        var members = (Member(name: first), Member(name: second), Member(name: third), Member(name: fourth))
        object?.forEachMember { key, value in
            members.0.take(key, value)
            members.1.take(key, value)
            members.2.take(key, value)
            members.3.take(key, value)
        }
        return members
    }

    /// The member's value; nil when it is absent or null.
    package func value(_ name: StaticString) -> JSONValue? { member(name).value }

    package func requiredValue(_ name: StaticString) throws(RPCError) -> JSONValue { try member(name).required() }

    package func string(_ name: StaticString) throws(RPCError) -> String? { try member(name).string() }

    package func requiredString(_ name: StaticString) throws(RPCError) -> String { try member(name).requiredString() }

    package func integer(_ name: StaticString) throws(RPCError) -> Int? { try member(name).integer() }

    package func requiredInteger(_ name: StaticString) throws(RPCError) -> Int { try member(name).requiredInteger() }

    package static func path(_ name: StaticString) -> JSONPointer {
        JSONPointer.root.appending("\(name)")
    }
}
