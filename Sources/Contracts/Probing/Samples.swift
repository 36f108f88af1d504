import JSON

/// Makes the simplest value of a type, by the type's own `init(from:)` where the codec has none.
final class Samples {
    private var types: [ObjectIdentifier] = []
    /// Each is made once: types that hold two of another would make it twice, that one's twice as often, and so on.
    private var made: [ObjectIdentifier: Any] = [:]

    /// - Throws: `ProbeError`, and whatever a type's own code throws at such a value.
    func sample<T: Decodable>(of type: T.Type) throws -> T {
        if let known = KnownForm.of(type)?.sample as? T { return known }
        if let container = type as? any ContainerForm.Type, let empty = Self.empty(container) as? T { return empty }
        if let type = type as? any SchemaProviding.Type, let example = type.example as? T { return example }
        if let raw = RawValues.first(of: type) { return raw }
        let identifier = ObjectIdentifier(type)
        if let one = made[identifier] as? T { return one }
        guard !types.contains(identifier), TypeName(type).depth <= TypeName.greatestDepth else {
            throw ProbeError.endless
        }
        types.append(identifier)
        defer { types.removeLast() }
        do {
            guard !TypeName(type).isLibrarys else { throw ProbeError.unknown }
            let cases = CaseNames.names(of: type)?.count
            let one = try cases.map { try firstCase(of: type, among: $0) } ?? T(from: decoder(caseIndex: nil))
            made[identifier] = one
            return one
        } catch let error as ProbeError {
            throw error.reason == ProbeError.endless.reason ? error : error.blaming(type)
        } catch {
            throw ProbeError.custom("it throws \(error)").blaming(type)
        }
    }

    private static func empty<C: ContainerForm>(_ type: C.Type) -> Any? { C.sample }

    private func firstCase<T: Decodable>(of type: T.Type, among count: Int) throws -> T {
        var index = 0
        while true {
            do {
                return try T(from: decoder(caseIndex: index))
            } catch let error as ProbeError where error.reason == ProbeError.endless.reason {
                index += 1
                guard index < count else { throw error }
            }
        }
    }

    private func decoder(caseIndex: Int?) -> ProbeDecoder {
        ProbeDecoder(probe: Probe(caseIndex: caseIndex, self))
    }
}
