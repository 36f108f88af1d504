/// The types that nearly all members have, apart from the generic way: a value of a type that is only known when the
/// program runs is copied and asked for its type, which costs more than reading it.
extension KeyedValueDecoder {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try place.tape.boolean(at: place.member(key))
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try place.tape.integer(type, at: place.member(key))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try place.tape.string(at: place.member(key))
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try place.tape.double(at: place.member(key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try place.memberIfPresent(key.stringValue).map { try place.tape.boolean(at: $0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try place.memberIfPresent(key.stringValue).map { try place.tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try place.memberIfPresent(key.stringValue).map { try place.tape.string(at: $0) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try place.memberIfPresent(key.stringValue).map { try place.tape.double(at: $0) }
    }
}
