/// The title of a session: what its view model says now, and what may be told, which of a durable session is stored.
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
        let next = text.isEmpty ? nil : Self.bounded(text)
        guard next != newest else { return }
        (newest, isUnhanded) = (next, true)
    }

    /// Tells the newest title, of a session that isn't durable.
    mutating func tell() {
        (told, isUnhanded) = (newest, false)
    }

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
