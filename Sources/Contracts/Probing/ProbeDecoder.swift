import JSON

/// Shows a type's `init(from:)` a message that has whatever it asks for.
struct ProbeDecoder: Decoder {
    let probe: Probe
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let keys = KeyNames.all(of: type) else {
            throw ProbeError.custom("its keys, \(type), aren't an enum's")
        }
        try probe.begin(keys)
        guard let index = probe.caseIndex else {
            return KeyedDecodingContainer(ProbedMembers(probe: probe, keys: keys))
        }
        guard keys.indices.contains(index) else { throw ProbeError.noSuchCase }
        probe.choose(keys[index].name, keys[index].key.stringValue, of: keys.count)
        return KeyedDecodingContainer(ProbedCase(probe: probe, key: keys[index].key))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ProbedValue(probe: probe)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw ProbeError.custom("it reads an array")
    }
}

extension ProbeError {
    static let noSuchCase = ProbeError(reason: "there is no such case")
}
