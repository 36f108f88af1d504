/// What the compiler says of a module's declarations: a file that `swift package dump-symbol-graph` and SwiftPM's plugins
/// make (the format is SymbolKit's, of Swift's DocC).
struct SymbolGraph: Decodable {
    struct Module: Decodable {
        let name: String
    }

    struct Symbol: Decodable {
        let identifier: Identifier?
        let kind: Kind
        let pathComponents: [String]
        let docComment: DocComment?
        let location: Location?
        let swiftExtension: Extension?
        let declarationFragments: [Fragment]?
    }

    struct Identifier: Decodable {
        /// The same in every module's graph.
        let precise: String
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
    }

    /// What a symbol stands in, other than a type's own declaration.
    struct Extension: Decodable {
        let extendedModule: String?
    }

    struct Fragment: Decodable {
        let spelling: String
    }

    struct Kind: Decodable {
        let identifier: String
    }

    struct DocComment: Decodable {
        let lines: [Line]
        /// The module that it was written in: another's where it was inherited from a protocol there.
        let module: String?
    }

    struct Line: Decodable {
        let text: String
    }

    struct Location: Decodable {
        let uri: String
        let position: Position
    }

    struct Position: Decodable {
        /// From 0.
        let line: Int
    }

    let module: Module
    let symbols: [Symbol]
    let relationships: [Relationship]?
}
