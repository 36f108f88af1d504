// Literals for documents that are written out in source.

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension JSONTree: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self = .number("\(value)") }
}

extension JSONTree: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension JSONTree: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
}

extension JSONTree: ExpressibleByDictionaryLiteral {
    /// Makes an object whose members keep their order.
    package init(dictionaryLiteral elements: (String, JSONTree)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}
