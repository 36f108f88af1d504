package import ViewModels

// Keywords of this project in a view event's schema, which tell the event's schedule. Validators ignore them.

private enum Keyword {
    static let supersedes = "x-supersedes"
    static let debounce = "x-debounceMs"
    static let waits = "x-waits"
}

extension EventSchedule {
    /// The names of all keywords for a schedule.
    static let keywordNames: Set<String> = [Keyword.supersedes, Keyword.debounce, Keyword.waits]

    /// The keywords for this schedule; none if the event is handled in order, which is the default.
    var keywords: [JSONTree.Member] {
        (supersedes ? [.init(Keyword.supersedes, .boolean(true))] : [])
            + (debounce > .zero ? [.init(Keyword.debounce, .number("\(milliseconds)"))] : [])
            + (waits ? [] : [.init(Keyword.waits, .boolean(false))])
    }

    /// The debounce in milliseconds, rounded up, so that a short one doesn't become none.
    private var milliseconds: Int64 {
        let (seconds, attoseconds) = debounce.components
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    /// The schedule in words, for people who write clients: `supersedes its kind after 50 ms, waits for no other`.
    package var words: String {
        let debounced = debounce > .zero ? " after \(milliseconds) ms" : ""
        let words = (supersedes ? ["supersedes its kind\(debounced)"] : []) + (waits ? [] : ["waits for no other"])
        return words.isEmpty ? "in order" : words.joined(separator: ", ")
    }
}

extension JSONTree {
    /// The schedule of the view event that has this schema.
    package var schedule: EventSchedule {
        let waits = self[Keyword.waits] != .boolean(false)
        guard self[Keyword.supersedes] == .boolean(true) else { return waits ? .inOrder : .independent }
        guard case .number(let text)? = self[Keyword.debounce], let milliseconds = Double(text) else {
            return .superseding(waits: waits)
        }
        return .superseding(debounce: .milliseconds(max(0, min(milliseconds, 1e9))), waits: waits)
    }
}
