/// What a finder searches, and how far it is.
struct FinderSearch: Sendable {
    enum Kind: Sendable {
        case files(FuzzyRanking)
        case lines(TextQuery)
        /// Nothing is searched.
        case nothing
    }

    static let maximumFiles = 1000
    static let maximumLines = 10_000

    var kind = Kind.nothing
    /// How many batches of files were searched.
    var batches = 0
    /// How many lines were found.
    var lines = 0
    /// Where lines may match and weren't found.
    var leftOut = TextSearch.LeftOut()

    /// Nothing is searched.
    init() {}

    /// - Parameter earlier: the search before this one.
    /// - Throws: where the text can't be looked for.
    init(
        _ text: String, _ mode: FinderViewModel.Mode, after earlier: FinderSearch
    ) throws(TextQuery.Invalid) {
        switch mode {
        case .files:
            var ranking: FuzzyRanking?
            if case .files(let earlier) = earlier.kind { ranking = earlier }
            kind = .files(FuzzyRanking(FuzzyPattern(text), limit: Self.maximumFiles, after: ranking))
        case .text, .regex:
            if text.isEmpty { return }
            // The letters of `\S` and its like have nothing to do with case.
            let plain = mode == .regex ? text.replacing(#/\\./#, with: "") : text
            kind = .lines(
                try TextQuery(
                    text, isRegularExpression: mode == .regex, ignoresCase: !plain.contains(where: \.isUppercase)))
        }
    }
}
