/// Doc comments and places in the source, by the names that types have at run time. Empty in a server that runs without symbol
/// graphs.
package struct Documentation: Sendable {
    /// A line of a source file.
    package struct Place: Sendable, Equatable {
        package let path: String
        /// The line's number, from 1.
        package let line: Int
    }

    struct Symbol: Sendable {
        var comment: String?
        var place: Place?
    }

    /// The symbols by path: the module, then the names from the outermost type to the symbol. Names of cases and functions are
    /// without their parentheses.
    var symbols: [[String]: Symbol] = [:]
    /// One half of a `Codable` conformance.
    enum CodingHalf: Hashable { case reading, writing }

    /// The places where types encode or decode themselves, by the path of the type.
    var customCoding: [CodingHalf: [[String]: Place]] = [:]

    /// The places of hand-written `init?(rawValue:)` and `init?(stringValue:)`, by the initializer's path.
    var customNames: [[String]: Place] = [:]

    /// A member as its declaration is written.
    package struct Declaration: Sendable, Equatable {
        /// The member's name, for a function with parentheses: `snapshot()`.
        package let name: String
        package let text: String
        package let place: Place
    }

    /// The declarations of members, by the path of the type.
    private var declarations: [[String]: [Declaration]] = [:]

    /// The protocols that each type conforms to; both are the compiler's identifiers.
    var conformances: [String: [String]] = [:]
    /// The places where extensions of protocols encode or decode conforming types, by the protocol's identifier.
    var protocolCoding: [CodingHalf: [String: Place]] = [:]
    /// The compiler's identifiers of symbols, by path.
    var identifiers: [[String]: String] = [:]

    package init() {}

    /// Returns the methods and properties, static ones included, that are written in the type or in an extension in its module.
    package func declarations(of type: any Any.Type) -> [Declaration] { declarations[TypeName(type).path] ?? [] }

    mutating func add(_ declaration: Declaration, to path: [String]) {
        declarations[path, default: []].append(declaration)
    }

    /// Returns the place where a type is declared; nil if unknown.
    package func place(ofType type: any Any.Type) -> Place? { symbols[TypeName(type).path]?.place }

    /// Returns the place of a member or a nested type; nil if there is none of this name, or its place is unknown.
    package func place(of member: String, in type: any Any.Type) -> Place? {
        symbols[TypeName(type).path + [member]]?.place
    }

    func comment(_ path: [String]) -> String? { symbols[path]?.comment }

    /// Returns the place of a symbol, or of the innermost symbol around it that has a place; nil if none has.
    ///
    /// - Parameter path: the names from the module to the symbol.
    package func place(_ path: [String]) -> Place? {
        var path = path
        while path.count > 1 {
            if let place = symbols[path]?.place { return place }
            path.removeLast()
        }
        return nil
    }
}

extension Documentation {
    /// Checks that a type doesn't encode or decode itself, which only the source shows. Passes if there are no symbols at all.
    ///
    /// - Throws: if the type's form on the wire may differ from its shape.
    func checkCoding(_ name: TypeName) throws(ProbeError) {
        guard !symbols.isEmpty else { return }
        let path = name.path
        if coding(path) != nil {
            throw .custom("it is written by hand; conform to SchemaProviding to say what it makes")
        }
        // Symbol graphs leave out private and local types, and so the code that encodes them.
        guard symbols[path] != nil else {
            throw ProbeError(
                reason: """
                    whether it encodes itself isn't known: it is private, or in a function, or its module has no symbol \
                    graph here
                    """)
        }
    }

    /// Whether the type's `init(from:)` is written by hand, but its `encode(to:)` isn't.
    func isOnlyReadByHand(_ name: TypeName) -> Bool {
        symbols[name.path] != nil && coding(name.path, .reading) != nil && coding(name.path, .writing) == nil
    }

    /// Returns the place where a type, or a protocol that it conforms to, encodes or decodes it; nil if the compiler does.
    func coding(_ path: [String]) -> Place? { coding(path, .writing) ?? coding(path, .reading) }

    private func coding(_ path: [String], _ half: CodingHalf) -> Place? {
        if let place = customCoding[half]?[path] { return place }
        var open = identifiers[path].map { [$0] } ?? []
        var seen: Set<String> = []
        while let next = open.popLast() {
            if let place = protocolCoding[half]?[next] { return place }
            if seen.insert(next).inserted { open += conformances[next] ?? [] }
        }
        return nil
    }

    /// Checks that no hand-written initializer chooses which raw values or keys the type accepts.
    ///
    /// - Throws: if one does.
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
