/// What a container can make: it takes what it needs from the container and the rest as arguments.
public protocol Resolvable: Sendable {
    /// What whoever asks for it has to give; `Void` where that is nothing. `Sendable`, so that an actor can keep it.
    associatedtype Arguments: Sendable

    /// Called by the container, on the thread that asks; so in a `@MainActor` class it is a `nonisolated init`.
    ///
    /// - Throws: what it can't be made from, which is the error of `resolve`; most often that of a `resolve` inside.
    init(container: Container, arguments: Arguments) throws
}
