/// The types that nearly all members have, apart from the generic way: a value of a type that is only known when the
/// program runs is copied and asked for its type, which costs more than writing it.
extension KeyedValueEncoder {
    func encode(_ value: Bool, forKey key: Key) throws {
        try place.encode(value, member: key.stringValue)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        try place.encode(value, member: key.stringValue)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try place.encode(value, member: key.stringValue)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try place.encode(value, member: key.stringValue)
    }
}
