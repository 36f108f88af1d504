/// A type with a hand-written `Codable` conformance that describes its own form on the wire.
///
/// ```swift
/// extension Money: SchemaProviding {
///     static var schema: String { #"{ "type": "string", "pattern": "^[0-9]+\\.[0-9]{2} [A-Z]{3}$" }"# }
///     static var example: Money { Money(cents: 100, currency: "EUR") }
/// }
/// ```
///
/// A contract refuses every other type that encodes or decodes itself, since its form can't be determined.
public protocol SchemaProviding: Decodable {
    /// A JSON Schema (draft 2020-12) that accepts exactly the values that the type decodes and encodes: a JSON object,
    /// without references to other schemas.
    static var schema: String { get }
    /// Any valid value. Types with a member of this type are probed with it.
    static var example: Self { get }
}
