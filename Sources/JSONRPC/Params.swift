package import JSON

/// The `params` of a message. Borrows the message's bytes, and is valid only as long as they are.
package struct Params {
    /// The object with the parameters; nil where there are none.
    package let object: JSONValue?
    private let notes: ValueNotes?

    /// Takes the forms that clients in use send: an object, nothing, `null`, `[]`, `[null]`, or an object in an array.
    ///
    /// - Parameter notes: may have the object's values, parsed already.
    /// - Throws: `InvalidParams` for any other form.
    package init(_ value: JSONValue?, notes: ValueNotes? = nil) throws(RPCError) {
        self.notes = notes
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

    /// Calls `body` with the object, all its values parsed.
    ///
    /// - Returns: the result of `body`; nil without an object, and where the object is nested too deep or is too long to be
    ///   parsed.
    package func parse<R, E: Error>(_ body: (ParsedValue) throws(E) -> R?) throws(E) -> R? {
        guard let object else { return nil }
        if let parsed = notes?.parsed(object) { return try body(parsed) }
        return try object.parse(body)
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

    package static func path(_ name: StaticString) -> JSONPointer {
        JSONPointer.root.appending("\(name)")
    }
}
