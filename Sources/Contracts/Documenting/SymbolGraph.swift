package import JSON

/// The compiler's description of a module's declarations, as `swift package dump-symbol-graph` and SwiftPM's plugins
/// write it.
///
/// The format is that of SymbolKit, a part of Swift's DocC.
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
        /// The symbol's unique identifier, the same in the graphs of all modules.
        let precise: String
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
    }

    /// The extension in which a symbol is declared.
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
        /// The module that the comment was written in. It is another module if the comment is inherited from a protocol there.
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
        /// The line's number, from 0.
        let line: Int
    }

    let module: Module
    let symbols: [Symbol]
    let relationships: [Relationship]?
}

extension Documentation {
    /// Adds the symbols of a module.
    ///
    /// - Parameter symbolGraph: the content of a `.symbols.json` file.
    /// - Throws: if that is no symbol graph.
    package mutating func add(symbolGraph: JSONValue) throws(JSONCodingError) {
        let graph = try ValueDecoder().decode(SymbolGraph.self, from: symbolGraph)
        var coding: [String: (half: CodingHalf, place: Place)] = [:]
        for symbol in graph.symbols {
            add(symbol, in: graph.module.name)
            guard let identifier = symbol.identifier?.precise, let half = symbol.codingHalf else { continue }
            coding[identifier] = symbol.location.flatMap(Place.init).map { (half, $0) }
        }
        for relationship in graph.relationships ?? [] {
            switch relationship.kind {
            case "conformsTo": conformances[relationship.source, default: []].append(relationship.target)
            case "memberOf":
                if let (half, place) = coding[relationship.source] {
                    protocolCoding[half, default: [:]][relationship.target] = place
                }
            default: break
            }
        }
    }

    private mutating func add(_ symbol: SymbolGraph.Symbol, in module: String) {
        let place = symbol.location.flatMap(Place.init)
        if let half = symbol.codingHalf {
            // Synthesized code has no place.
            guard let place else { return }
            // An extension may be in another module than its type.
            for module in [module, symbol.swiftExtension?.extendedModule ?? module] {
                customCoding[half, default: [:]][[module] + symbol.pathComponents.dropLast()] = place
            }
            return
        }
        guard let last = symbol.pathComponents.last else { return }
        if let place, symbol.isFailable, ["init(rawValue:)", "init(stringValue:)"].contains(last) {
            customNames[[module] + symbol.pathComponents] = place
        }
        if let place, let fragments = symbol.declarationFragments, symbol.isMember, !symbol.isInherited {
            let text = fragments.map(\.spelling).joined()
            add(Declaration(name: last, text: text, place: place), to: [module] + symbol.pathComponents.dropLast())
        }
        let name = last.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
        let path = [module] + symbol.pathComponents.dropLast() + [name ?? last]
        // A method may have the same name as a property, which is preferred.
        let isWanted = ["swift.enum.case", "swift.property"].contains(symbol.kind.identifier)
        if let identifier = symbol.identifier?.precise { identifiers[path] = identifier }
        guard symbols[path] == nil || isWanted else { return }
        // A comment that is inherited from another module describes a protocol's requirement.
        let comment = symbol.docComment.flatMap { $0.module ?? module == module ? $0.text : nil }
        symbols[path] = Symbol(comment: comment, place: place)
    }
}

extension SymbolGraph.Symbol {
    fileprivate var codingHalf: Documentation.CodingHalf? {
        switch pathComponents.last {
        case "init(from:)": .reading
        case "encode(to:)": .writing
        default: nil
        }
    }

    fileprivate var isMember: Bool {
        ["swift.method", "swift.property", "swift.type.method", "swift.type.property"].contains(kind.identifier)
    }

    /// Whether the symbol comes from an extension of a protocol: the compiler lists such members for each type, too.
    fileprivate var isInherited: Bool { identifier?.precise.contains("::SYNTHESIZED::") ?? false }

    fileprivate var isFailable: Bool {
        let words = (declarationFragments ?? []).map(\.spelling)
        return zip(words, words.dropFirst()).contains { $0 == "init" && ($1.hasPrefix("?") || $1.hasPrefix("!")) }
    }
}

extension SymbolGraph.DocComment {
    /// The comment's paragraphs, without the lists of parameters, errors and results, which are for callers in Swift.
    fileprivate var text: String? {
        let lines = lines.map(\.text).prefix {
            !$0.hasPrefix("- Parameter") && !$0.hasPrefix("- Throws") && !$0.hasPrefix("- Returns")
        }
        let paragraphs = lines.split(separator: "").map { $0.map { $0.trimmed }.joined(separator: " ") }
        return paragraphs.isEmpty ? nil : paragraphs.joined(separator: "\n\n")
    }
}

extension String {
    fileprivate var trimmed: Substring {
        var text = self[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        while text.first?.isWhitespace == true { text.removeFirst() }
        return text
    }
}

extension Documentation.Place {
    fileprivate init?(_ location: SymbolGraph.Location) {
        guard location.uri.hasPrefix("file://"), location.position.line < .max else { return nil }
        self.init(path: Self.unescaped(location.uri.dropFirst(7)), line: location.position.line + 1)
    }

    /// Decodes the percent-encoding of a URL (RFC 3986, section 2.1).
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
