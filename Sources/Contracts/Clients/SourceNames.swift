/// The names of one scope of source code: each is an identifier, and none is there twice.
struct SourceNames {
    private var taken: Set<String>

    /// - Parameter reserved: names that mean something else where these stand.
    init(reserved: Set<String> = []) {
        taken = reserved
    }

    /// The name of a type: `selectOrder` becomes `SelectOrder`, and `order list` becomes `OrderList`.
    mutating func type(_ name: String) -> String { unique(Self.capitalized(name)) }

    /// The name of a member, as it stands where that can be.
    mutating func member(_ name: String) -> String { unique(Self.identifier(name)) }

    /// One that is taken gets `_` after it, and the next ones a number.
    private mutating func unique(_ name: String) -> String {
        var unique = name
        var count = 1
        while !taken.insert(unique).inserted {
            unique = count == 1 ? "\(name)_" : "\(name)_\(count)"
            count += 1
        }
        return unique
    }

    private static func capitalized(_ name: String) -> String {
        let words = name.unicodeScalars.split { !isPart($0) }.map { String($0) }
        let name = identifier(words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Without the underscores before it, which give a name in a class of Python's another meaning.
    private static func identifier(_ name: String) -> String {
        let parts = name.unicodeScalars.map { isPart($0) ? $0 : "_" }.drop { $0 == "_" }
        guard let first = parts.first else { return "value" }
        let identifier = String(String.UnicodeScalarView(parts))
        return first.properties.isXIDStart ? identifier : "n\(identifier)"
    }

    /// Letters that are one UTF-16 unit and that Python doesn't replace by others (PEP 3131).
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || scalar.properties.isXIDContinue }
        let isReplaced = scalar.properties.changesWhenNFKCCaseFolded && !scalar.properties.changesWhenLowercased
        return scalar.properties.isXIDContinue && scalar.value <= 0xFFFF && (!isReplaced || scalar == "ß")
    }
}
