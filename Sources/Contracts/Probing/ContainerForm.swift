/// The standard library's containers, whose own `Decodable` would have to be shown an element to tell what that is.
protocol ContainerForm {
    /// What is in it, and what that makes of it.
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? { get }
    /// The simplest value.
    static var sample: Self? { get }
}

extension Optional: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? {
        (Wrapped.self as? any Decodable.Type).map { ($0, { .nullable($0) }) }
    }
    static var sample: Self? { .some(nil) }
}

extension Array: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? {
        (Element.self as? any Decodable.Type).map { ($0, { .array($0) }) }
    }
    static var sample: Self? { [] }
}

extension ContiguousArray: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? { [Element].contents }
    static var sample: Self? { [] }
}

// In no order, and an element that comes twice is taken once: so any array will do.
extension Set: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? { [Element].contents }
    static var sample: Self? { [] }
}

extension Dictionary: ContainerForm {
    /// Only of keys that are the names of members; of others, the standard library makes an array.
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? {
        guard let value = Value.self as? any Decodable.Type else { return nil }
        if Key.self == String.self { return (value, { .dictionary($0, keys: .any) }) }
        if Key.self == Int.self { return (value, { .dictionary($0, keys: .integers) }) }
        return nil
    }
    static var sample: Self? { [:] }
}
