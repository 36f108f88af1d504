/// The event of an `ObservableViewModel`: one property's name and value.
///
/// `ObservableViewModel` has an example. It is encoded as the compiler would encode an enum's case of that name with
/// the value.
public struct PropertyEvent: ReplaceableEvent {
    /// The property's name.
    public let name: String
    /// The property's value, of its own type.
    public let value: any Sendable

    /// The name, so that a newer value of a property makes an older one needless.
    public var coalescingKey: String? { name }
}

extension PropertyEvent: Encodable {
    /// Encodes the value as the one associated value of an enum's case with the property's name.
    ///
    /// - Throws: the error of the value's own `encode(to:)`. `EncodingError` for a value that isn't `Encodable`; a
    ///   session has refused such a property before.
    public func encode(to encoder: any Encoder) throws {
        try encode(value, to: encoder)
    }

    private func encode<Value: Sendable>(_ value: Value, to encoder: any Encoder) throws {
        // The type is asked, and not the value: a nil has no type of its own.
        guard let type = Value.self as? any Encodable.Type else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "\(Value.self) isn't Encodable")
            throw EncodingError.invalidValue(value, context)
        }
        try encode(value, as: type, to: encoder)
    }

    /// Encodes `value` as an `Encoded`, which is its type.
    private func encode<Encoded: Encodable>(
        _ value: some Sendable, as type: Encoded.Type, to encoder: any Encoder
    ) throws {
        if let value = value as? Encoded { try CaseEncoding(name: name).encode(value, to: encoder) }
    }
}

/// The event of a `NotifyingViewModel`: its whole state.
///
/// `NotifyingViewModel` has an example. It is encoded as the compiler would encode `enum { case changed(State) }`.
public struct ChangeEvent<State: Sendable>: ReplaceableEvent {
    package static var name: String { "changed" }

    /// Everything that a View shows.
    public let state: State

    /// Always the same, so that a newer state makes an older one needless.
    public var coalescingKey: String? { Self.name }
}

extension ChangeEvent: Encodable where State: Encodable {
    /// Encodes the one case, `changed`, with the state.
    ///
    /// - Throws: the error of the state's own `encode(to:)`.
    public func encode(to encoder: any Encoder) throws {
        try CaseEncoding(name: Self.name).encode(state, to: encoder)
    }
}

/// Encodes a name and a value as the compiler encodes a case of that name whose one value has no label (SE-0295):
/// `{"elapsed":{"_0":1.5}}`, and `{"elapsed":{}}` where the value is nil.
struct CaseEncoding {
    let name: String

    func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var cases = encoder.container(keyedBy: CaseCodingKeys.self)
        var values = cases.nestedContainer(keyedBy: ValueCodingKeys.self, forKey: CaseCodingKeys(name))
        if (value as? any OptionalValue)?.isNil == true { return }
        try values.encode(value, forKey: ._0)
    }

    private struct CaseCodingKeys: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        /// Returns nil, as nothing is decoded by these keys.
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    private enum ValueCodingKeys: String, CodingKey {
        case _0
    }
}

private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    fileprivate var isNil: Bool { self == nil }
}
