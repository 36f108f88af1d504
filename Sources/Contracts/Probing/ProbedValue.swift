/// A message that is one value.
struct ProbedValue: SingleValueDecodingContainer {
    let probe: Probe
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try probe.note(value: type)
        return try probe.samples.sample(of: type)
    }
}
