/// A character of a path, as terms see it.
struct FuzzyCharacter: Sendable {
    /// What a character is to those beside it.
    enum Kind: UInt8, Sendable, CaseIterable {
        case white, mark, slash, lower, upper, letter, digit

        /// Whether a word may begin after it.
        var endsWord: Bool { self == .white || self == .mark || self == .slash }
    }

    let scalar: UInt32
    /// In lower case.
    let folded: UInt32
    let kind: Kind
    /// What it is worth to match it here, as `FuzzyScore` says.
    var bonus: Int16 = 0

    /// - Parameter scalar: of Unicode.
    init(_ scalar: UInt32) {
        self.scalar = scalar
        kind = Self.kind(of: scalar)
        folded = kind == .upper ? Self.lowered(scalar) : scalar
    }

    /// Whether it is a term's character, which is in lower case where case doesn't matter.
    func matches(_ wanted: UInt32, _ isCaseSensitive: Bool) -> Bool {
        (isCaseSensitive ? scalar : folded) == wanted
    }

    /// In UTF-8.
    var byteCount: Int { scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4 }

    /// The characters of ASCII in order, after a character of each kind.
    static let ascii: [FuzzyCharacter] = Kind.allCases.flatMap { previous in
        (UInt32(0)..<0x80).map { scalar in
            var character = FuzzyCharacter(scalar)
            character.bonus = FuzzyScore.bonus(after: previous, of: character.kind)
            return character
        }
    }

    /// A letter in lower case; anything else as it is.
    static func folded(_ scalar: UInt32) -> UInt32 { FuzzyCharacter(scalar).folded }

    private static func kind(of scalar: UInt32) -> Kind {
        switch scalar {
        case UInt32(ascii: "a")...UInt32(ascii: "z"): return .lower
        case UInt32(ascii: "A")...UInt32(ascii: "Z"): return .upper
        case UInt32(ascii: "0")...UInt32(ascii: "9"): return .digit
        case UInt32(ascii: "/"): return .slash
        case 0x09...0x0D, 0x20, 0x85, 0xA0: return .white
        case 0..<0x80: return .mark
        default: break
        }
        guard let properties = Unicode.Scalar(scalar)?.properties else { return .mark }
        switch properties.generalCategory {
        case .lowercaseLetter: return .lower
        case .uppercaseLetter: return .upper
        case .decimalNumber, .letterNumber, .otherNumber: return .digit
        case .modifierLetter, .otherLetter, .titlecaseLetter: return .letter
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return .white
        default: return .mark
        }
    }

    /// Itself where lower case is more than a character, or where it would be a letter of ASCII, as of the sign for
    /// kelvin: so what is beyond ASCII never matches what isn't.
    private static func lowered(_ scalar: UInt32) -> UInt32 {
        guard scalar >= 0x80 else { return scalar + 0x20 }
        guard let mapping = Unicode.Scalar(scalar)?.properties.lowercaseMapping.unicodeScalars, mapping.count == 1,
            let lower = mapping.first?.value, lower >= 0x80
        else { return scalar }
        return lower
    }
}

/// What matched characters are worth: the constants of fzf's second algorithm with the scheme for paths.
enum FuzzyScore {
    static let match: Int16 = 16
    static let gapStart: Int16 = -3
    static let gapExtension: Int16 = -1
    /// At the beginning of a word: half a match, so that a gap of eight characters takes it back.
    static let boundary: Int16 = 8
    /// At the beginning of a name.
    static let afterSlash: Int16 = 9
    /// In the middle of a word such as `camelCase` or `letter123`. There is no gap as in `camel_case`, so it's less.
    static let camel: Int16 = 7
    /// At least, after a matched character: what a gap would have cost.
    static let consecutive: Int16 = 4
    /// The first character of a term counts so often.
    static let firstCharacterFactor: Int16 = 2

    /// What a match of a character of this kind scores beside. Before the first character of a path there is a slash.
    static func bonus(after previous: FuzzyCharacter.Kind, of kind: FuzzyCharacter.Kind) -> Int16 {
        bonuses[Int(previous.rawValue) * FuzzyCharacter.Kind.allCases.count + Int(kind.rawValue)]
    }

    private static let bonuses = FuzzyCharacter.Kind.allCases.flatMap { previous in
        FuzzyCharacter.Kind.allCases.map { computedBonus(after: previous, of: $0) }
    }

    private static func computedBonus(after previous: FuzzyCharacter.Kind, of kind: FuzzyCharacter.Kind) -> Int16 {
        if kind != .white, previous.endsWord { return previous == .slash ? afterSlash : boundary }
        if previous == .lower && kind == .upper || previous != .digit && kind == .digit { return camel }
        return kind == .mark || kind == .slash || kind == .white ? boundary : 0
    }
}
