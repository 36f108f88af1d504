/// A type whose `Codable` conformance is written by hand, and which therefore says itself what it looks like on the wire.
///
/// ```swift
/// extension Money: SchemaProviding {
///     static var schema: String { #"{ "type": "string", "pattern": "^[0-9]+\\.[0-9]{2} [A-Z]{3}$" }"# }
///     static var example: Money { Money(cents: 100, currency: "EUR") }
/// }
/// ```
///
/// The contract of a view model refuses any other type that encodes or decodes itself, as nothing could tell its form.
public protocol SchemaProviding: Decodable {
    /// A JSON Schema (draft 2020-12), an object, that holds for exactly the values that the type takes and makes. It
    /// refers to no other.
    static var schema: String { get }
    /// Any valid value: the types that have one as a member are tried out with it.
    static var example: Self { get }
}
