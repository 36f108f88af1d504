/// What a terminal sends for one key, or for text that was typed or pasted in one go.
enum Key: Equatable, Sendable {
    case text(String)
    case enter, tab, shiftTab, backspace, delete
    case left, right, up, down, home, end, wordLeft, wordRight
    /// With the lower-case letter.
    case control(Character)
    case alt(Character)
    /// A key that means nothing here.
    case other
}
