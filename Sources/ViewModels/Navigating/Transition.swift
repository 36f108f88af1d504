/// How one view model comes to stand above another.
public enum Transition: Sendable, Equatable {
    /// Onto the topmost stack; taken off by `pop`.
    case push
    /// Over all that is on screen, as the first of a stack of its own; taken off by `dismiss`.
    case present
}
