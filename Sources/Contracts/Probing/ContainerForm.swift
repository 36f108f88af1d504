import JSON

/// A container of the standard library, whose form is known but for those of its elements.
///
/// `Result`, tuples, slices and characters aren't `Codable`, so no event can have one.
protocol ContainerForm {
    /// The types that it holds, and the form of the whole, given their schemas; nil where it has no form on the wire.
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? { get }
    /// The simplest value: most often an empty one.
    ///
    /// - Throws: where it needs a value of a type that has none.
    static func sample(_ samples: Samples) throws -> Self?
}

extension ContainerForm {
    /// - Parameter form: given the schema of an element.
    fileprivate static func of(
        _ element: any Any.Type, _ form: @escaping (Schema) -> Schema.Form
    ) -> (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        (element as? any Decodable.Type).map { ([$0], { form($0[0]) }) }
    }
}

extension Optional: ContainerForm {
    // An optional in an optional is null, too.
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Wrapped.self) { if case .nullable = $0.form { $0.form } else { .nullable($0) } }
    }
    static func sample(_ samples: Samples) -> Self? { .some(nil) }
}

extension Array: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Element.self) { .array($0) }
    }
    static func sample(_ samples: Samples) -> Self? { [] }
}

extension ContiguousArray: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? { [Element].contents }
    static func sample(_ samples: Samples) -> Self? { [] }
}

// Any array will do: order doesn't count, and a repeated element is taken once.
extension Set: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? { [Element].contents }
    static func sample(_ samples: Samples) -> Self? { [] }
}

extension Dictionary: ContainerForm {
    /// An object where the keys are strings or integers, or are coded as such. With other keys the standard library
    /// encodes an array in which each key is followed by its value.
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        if let keys { return of(Value.self) { .dictionary($0, keys: keys) } }
        guard let key = Key.self as? any Decodable.Type, let value = Value.self as? any Decodable.Type else {
            return nil
        }
        return ([key, value], { $0[0] == $0[1] ? .array($0[0]) : .array(Schema(.either($0))) })
    }

    /// Nil where the dictionary isn't an object.
    private static var keys: Schema.DictionaryKeys? {
        if Key.self == String.self { return .any }
        if Key.self == Int.self { return .integers }
        guard Key.self is any CodingKeyRepresentable.Type else { return nil }
        guard let values = RawValues.all(of: Key.self) else { return .any }
        return .names(
            values.map { value in
                if case .string(let name) = value.value { name } else { value.value.line }
            })
    }

    static func sample(_ samples: Samples) -> Self? { [:] }
}

// Ranges are arrays of their bounds.

extension Range: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Bound.self) { .tuple([$0, $0]) }
    }
    static func sample(_ samples: Samples) throws -> Self? { try samples.bound(Bound.self).map { $0..<$0 } }
}

extension ClosedRange: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Bound.self) { .tuple([$0, $0]) }
    }
    static func sample(_ samples: Samples) throws -> Self? { try samples.bound(Bound.self).map { $0...$0 } }
}

extension PartialRangeFrom: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Bound.self) { .tuple([$0]) }
    }
    static func sample(_ samples: Samples) throws -> Self? { try samples.bound(Bound.self).map { $0... } }
}

extension PartialRangeUpTo: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Bound.self) { .tuple([$0]) }
    }
    static func sample(_ samples: Samples) throws -> Self? { try samples.bound(Bound.self).map { ..<$0 } }
}

extension PartialRangeThrough: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Bound.self) { .tuple([$0]) }
    }
    static func sample(_ samples: Samples) throws -> Self? { try samples.bound(Bound.self).map { ...$0 } }
}

extension Samples {
    /// Nil for a type that isn't `Decodable`.
    fileprivate func bound<Bound>(_ type: Bound.Type) throws -> Bound? {
        func sample<T: Decodable>(_ type: T.Type) throws -> Any { try self.sample(of: type) }
        return try (type as? any Decodable.Type).flatMap { try sample($0) as? Bound }
    }
}

// Vectors are arrays of their scalars.

extension ContainerForm where Self: SIMD {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        of(Scalar.self) { .tuple(Array(repeating: $0, count: scalarCount)) }
    }
    static func sample(_ samples: Samples) -> Self? { Self() }
}

extension SIMD2: ContainerForm {}
extension SIMD3: ContainerForm {}
extension SIMD4: ContainerForm {}
extension SIMD8: ContainerForm {}
extension SIMD16: ContainerForm {}
extension SIMD32: ContainerForm {}
extension SIMD64: ContainerForm {}
