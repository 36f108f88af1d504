import ViewModels

/// The title of a durable session: what its view model has said last, and what is stored of that, and so may be told.
struct SessionTitle {
    /// The most scalars of a title. A longer one ends with "…".
    private static let longest = 200

    private(set) var newest: String?
    var told: String?
    /// Whether the newest title isn't handed to the journal yet.
    var isUnhanded = false

    init() {}

    init(stored text: String) {
        (newest, told) = (text, text)
    }

    /// Takes what the view model says.
    mutating func set(_ text: String) {
        let next = Self.text(text)
        guard next != newest else { return }
        (newest, isUnhanded) = (next, true)
    }

    /// Returns a title without what is too long of it; nil for an empty one.
    static func text(_ text: String) -> String? { text.isEmpty ? nil : bounded(text) }

    private static func bounded(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.index(scalars.startIndex, offsetBy: longest + 1, limitedBy: scalars.endIndex) != nil else {
            return text
        }
        // No character is cut in two.
        var (kept, count) = ("", 0)
        for character in text {
            count += character.unicodeScalars.count
            if count >= longest { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension SessionState {
    mutating func setTitle(_ text: String) {
        if title == nil {
            // Nothing is kept for a view model that has had no title so far.
            if text.isEmpty { return }
            title = SessionTitle()
        }
        title?.set(text)
    }
}

extension Session {
    /// Whether the title is only known by asking the view model: that of a durable session is stored with its turns.
    package var mustReadTitle: Bool { !isDurable && model.titled != nil }

    /// Asks the view model for its title, in its isolation.
    ///
    /// - Parameter then: called once, on any thread: with nil where there is none. A view model that is busy calls it late.
    package func readTitle(then: @escaping @Sendable (String?) -> Void) {
        guard let titled = model.titled else { return then(nil) }
        // The user's code runs on no loop for long.
        let executor = HandlerExecutor.make("title", of: self)
        Task.detached(executorPreference: executor ?? context.executor) {
            then(SessionTitle.text(await titled.title))
        }
    }
}
