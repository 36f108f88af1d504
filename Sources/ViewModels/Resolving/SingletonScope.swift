/// Who shares a singleton.
public enum SingletonScope: Sendable {
    /// Everything in the process: the outermost container keeps it.
    case process
    /// One session that a client opened, with all that is pushed onto it and presented over it: its own container keeps
    /// it.
    case session
}
