import JSON

/// A container of the standard library, whose form is known except for the forms of its elements.
///
/// `Result`, tuples, slices and characters aren't `Codable`, so no event can contain one.
protocol ContainerForm {
    /// The types that the container holds, and a function that makes the container's form from their schemas; nil if it has no
    /// form on the wire.
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? { get }
    /// Returns the container's simplest value, which is usually empty.
    ///
    /// - Throws: if that needs a value of a type that has none.
    static func sample(_ samples: Samples) throws -> Self?
}

extension ContainerForm {
    /// Returns the `contents` of a container with elements of one type.
    ///
    /// - Parameter form: makes the form from the schema of an element.
    fileprivate static func of(
        _ element: any Any.Type, _ form: @escaping (Schema) -> Schema.Form
    ) -> (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        (element as? any Decodable.Type).map { ([$0], { form($0[0]) }) }
    }
}

extension Optional: ContainerForm {
    // An optional of an optional is null, too, so it isn't nullable twice.
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

// A set accepts any array: order doesn't matter, and a repeated element counts once.
extension Set: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? { [Element].contents }
    static func sample(_ samples: Samples) -> Self? { [] }
}

extension Dictionary: ContainerForm {
    /// The contents of a dictionary: an object if the keys are strings or integers, or are coded as such. With other keys the
    /// standard library encodes an array in which each key is followed by its value.
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        if let keys { return of(Value.self) { .dictionary($0, keys: keys) } }
        guard let key = Key.self as? any Decodable.Type, let value = Value.self as? any Decodable.Type else {
            return nil
        }
        return ([key, value], { $0[0] == $0[1] ? .array($0[0]) : .array(Schema(.either($0))) })
    }

    /// The keys of the object; nil if the dictionary isn't coded as an object.
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
    /// Returns a sample of a range's bound; nil for a type that isn't `Decodable`.
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
