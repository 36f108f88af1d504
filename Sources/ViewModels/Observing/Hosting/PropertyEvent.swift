/// What an `ObservableViewModel` is hosted with: one property's name and value, newest only.
///
/// It encodes as the compiler would encode an enum's case of that name with the value.
public struct PropertyEvent: ReplaceableEvent {
    /// The property's.
    public let name: String
    /// Of the property's own type.
    public let value: any Sendable

    /// A newer value of a property makes an older one needless.
    public var coalescingKey: String? { name }
}

extension PropertyEvent: Encodable {
    /// Fails for a value that isn't `Encodable`, which `HostedProperty` has seen to.
    public func encode(to encoder: any Encoder) throws {
        try encode(value, to: encoder)
    }

    private func encode<Value: Sendable>(_ value: Value, to encoder: any Encoder) throws {
        // The type is asked: a nil would say of itself that it is nothing at all.
        guard let type = Value.self as? any Encodable.Type else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "\(Value.self) isn't Encodable")
            throw EncodingError.invalidValue(value, context)
        }
        try encode(value, as: type, to: encoder)
    }

    /// `Encoded` is the type of `value`.
    private func encode<Encoded: Encodable>(
        _ value: some Sendable, as type: Encoded.Type, to encoder: any Encoder
    ) throws {
        if let value = value as? Encoded { try CaseEncoding(name: name).encode(value, to: encoder) }
    }
}
