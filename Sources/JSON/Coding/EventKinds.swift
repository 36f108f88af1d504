/// The kinds that events of a type can have, as the compiler's own conformance to `Codable` names them.
package enum EventKinds {
    /// In alphabetical order; nil when they can't be known, as of a type that is no enum.
    ///
    /// Who names them otherwise, with `CodingKeys` or code of their own, isn't found out here.
    package static func of(_ type: any Any.Type) -> [String]? {
        if let type = type as? any RawRepresentable.Type { return rawValues(type) }
        return CaseNames.names(of: type)?.sorted()
    }

    private static func rawValues<E: RawRepresentable>(_ type: E.Type) -> [String]? {
        guard E.RawValue.self == String.self else { return nil }
        if let type = type as? any CaseIterable.Type { return rawValues(all: type) }
        guard let names = CaseNames.names(of: type) else { return nil }
        // A raw value that was given another name than its case is nowhere to be read.
        let areKinds = names.allSatisfy { ($0 as? E.RawValue).flatMap(E.init(rawValue:)) != nil }
        return areKinds ? names.sorted() : nil
    }

    private static func rawValues<E: CaseIterable>(all type: E.Type) -> [String]? {
        E.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }.sorted()
    }
}
