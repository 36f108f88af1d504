/// Why a container can't make what was asked for.
public enum ContainerError: Error, Sendable, Equatable {
    /// Nothing was registered for a type that can't make itself.
    case notRegistered(String)
    /// Each of these needs the next to be made, and the last is the first.
    case cycle([String])
    /// The container belonged to a session that has ended.
    case ended
}
