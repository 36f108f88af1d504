/// The members that types know of the objects that they decode, for a decoding that refuses all others.
///
/// Several types may decode one object: a value and the parts that it takes from the same decoder. A member is known where
/// one of them has a key for it.
struct KnownMembers {
    /// By the entries of objects.
    private var names: [Int: [(String) -> Bool]] = [:]

    /// A type with these keys decodes the object.
    mutating func add<Key: CodingKey>(_ type: Key.Type, at object: Int) {
        names[object, default: []].append { Key(stringValue: $0) != nil }
    }

    /// - Throws: where an object has a member that isn't known; of several, the first in the text.
    func refuseOthers(in tape: DecodingTape) throws {
        for object in names.keys.sorted() {
            let known = names[object] ?? []
            for key in try tape.keys(ofObject: object) {
                let name = tape.stringText(tape.entries[key]).string()
                // By it a class decodes the one above it.
                guard name != "super", !known.contains(where: { $0(name) }) else { continue }
                throw tape.corrupted(at: key + 1, "unknown member")
            }
        }
    }
}
