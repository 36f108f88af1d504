extension Documentation {
    /// What only the source tells; nothing is checked where there is none.
    ///
    /// - Throws: where a type's form on the wire may be another than what the type asks for.
    func checkCoding(_ name: TypeName) throws(ProbeError) {
        guard !symbols.isEmpty else { return }
        let path = name.path
        if coding(path) != nil {
            throw .custom("it is written by hand; conform to SchemaProviding to say what it makes")
        }
        // Symbol graphs have nothing that is private or in a function, and so not what encodes it.
        guard symbols[path] != nil else {
            throw ProbeError(
                reason: """
                    whether it encodes itself isn't known: it is private, or in a function, or its module has no symbol \
                    graph here
                    """)
        }
    }

    /// Where a type encodes or decodes itself, or what it conforms to does that for it.
    func coding(_ path: [String]) -> Place? {
        if let place = customCoding[path] { return place }
        var open = identifiers[path].map { [$0] } ?? []
        var seen: Set<String> = []
        while let next = open.popLast() {
            if let place = protocolCoding[next] { return place }
            if seen.insert(next).inserted { open += conformances[next] ?? [] }
        }
        return nil
    }

    /// - Throws: where a type takes other values than those of its form.
    func checkNames(_ name: TypeName, _ shape: TypeShape) throws(ProbeError) {
        switch shape {
        case .rawValues, .value:
            guard customNames[name.path + ["init(rawValue:)"]] == nil else {
                throw ProbeError(
                    reason: """
                        its init?(rawValue:) is written by hand, so what it takes isn't known; conform to \
                        SchemaProviding to say it
                        """)
            }
        case .cases:
            guard customNames[name.path + ["CodingKeys", "init(stringValue:)"]] == nil else {
                throw .custom("its keys' init?(stringValue:) is written by hand")
            }
        case .object: break
        }
    }
}
