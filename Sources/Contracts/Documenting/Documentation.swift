/// Doc comments and places in the source, by the names that the program has for its types. Empty at run time, where there
/// are none.
package struct Documentation: Sendable {
    /// Where something is declared.
    package struct Place: Sendable, Equatable {
        package let path: String
        /// From 1.
        package let line: Int
    }

    struct Symbol: Sendable {
        var comment: String?
        var place: Place?
    }

    /// A module, and names from the outermost type to the symbol; of cases and functions without what is in brackets.
    var symbols: [[String]: Symbol] = [:]
    /// Where types encode or decode themselves.
    var customCoding: [[String]: Place] = [:]

    /// Where types choose themselves which names or raw values they take: by initializer.
    var customNames: [[String]: Place] = [:]

    /// What each type conforms to, and where the extensions of protocols encode or decode what conforms to them: by the
    /// compiler's identifiers.
    var conformances: [String: [String]] = [:]
    var protocolCoding: [String: Place] = [:]
    var identifiers: [[String]: String] = [:]

    package init() {}

    func comment(_ path: [String]) -> String? { symbols[path]?.comment }

    /// Of the path, or else of what it is in.
    package func place(_ path: [String]) -> Place? {
        var path = path
        while path.count > 1 {
            if let place = symbols[path]?.place { return place }
            path.removeLast()
        }
        return nil
    }
}
