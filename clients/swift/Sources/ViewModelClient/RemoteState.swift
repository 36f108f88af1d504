/// How a connection to a server is.
public enum RemoteState: Hashable, Sendable {
    /// On its way; what is asked meanwhile waits.
    case connecting
    /// There.
    case connected
    /// Lost, for this reason in words, and tried again after `delay`; what is asked meanwhile waits.
    case waiting(reason: String, delay: Duration)
    /// For good; because of an error where this side didn't want it.
    case closed(RemoteError?)
}
