import JSON

/// Makes the simplest value of a type, by the type's own `init(from:)` where the codec has none.
final class Samples {
    private var types: [ObjectIdentifier] = []

    /// - Throws: `ProbeError`, and whatever a type's own code throws at such a value.
    func sample<T: Decodable>(of type: T.Type) throws -> T {
        if let known = KnownForm.of(type)?.sample as? T { return known }
        if let container = type as? any ContainerForm.Type, let empty = Self.empty(container) as? T { return empty }
        if let type = type as? any SchemaProviding.Type, let example = type.example as? T { return example }
        if let raw = RawValues.first(of: type) { return raw }
        let identifier = ObjectIdentifier(type)
        guard !types.contains(identifier) else { throw ProbeError.endless }
        types.append(identifier)
        defer { types.removeLast() }
        do {
            guard !TypeName(type).isLibrarys else { throw ProbeError.unknown }
            guard CaseNames.names(of: type) != nil else { return try T(from: decoder(caseIndex: nil)) }
            return try firstCase(of: type)
        } catch let error as ProbeError {
            throw error.reason == ProbeError.endless.reason ? error : error.blaming(type)
        } catch {
            throw ProbeError.custom("it throws \(error)").blaming(type)
        }
    }

    private static func empty<C: ContainerForm>(_ type: C.Type) -> Any? { C.sample }

    private func firstCase<T: Decodable>(of type: T.Type) throws -> T {
        var index = 0
        while true {
            do {
                return try T(from: decoder(caseIndex: index))
            } catch let error as ProbeError where error.reason == ProbeError.endless.reason {
                index += 1
            }
        }
    }

    private func decoder(caseIndex: Int?) -> ProbeDecoder {
        ProbeDecoder(probe: Probe(caseIndex: caseIndex, self))
    }
}
