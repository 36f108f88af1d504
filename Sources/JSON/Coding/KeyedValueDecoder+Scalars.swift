/// The types that nearly all members have, apart from the generic way: a value of a type that is only known when the
/// program runs is copied and asked for its type, which costs more than reading it.
extension KeyedValueDecoder {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try tape.boolean(at: member(key))
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try tape.integer(type, at: member(key))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try tape.string(at: member(key))
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try tape.double(at: member(key))
    }
}
