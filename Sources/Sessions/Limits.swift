/// How much the server holds for its clients, and how long. Every bound of the protocol's flow control is here.
public struct Limits: Sendable, Equatable {
    /// The largest message that is read, in bytes; a larger one ends its connection.
    public var messageBytes = 16 << 20
    /// The largest header block before a message, in bytes.
    public var headerBytes = 8 << 10
    /// How deep arrays and objects may nest in a message.
    public var nesting = 512
    /// Messages in one batch.
    public var batchMessages = 1_024
    /// Views on one connection.
    public var sessions = 1_024
    /// Sessions of the whole server, those that wait for their client to come back included; one more isn't opened.
    public var hostedSessions = 65_536
    /// View models on screen at once in one opened session: itself, what was pushed and what was presented.
    public var screens = 1_024
    /// View events that wait in one session; one more is refused.
    public var pendingEvents = 4_096
    /// The same, in bytes of what was sent; one event alone may be longer.
    public var pendingBytes = 8 << 20
    /// The newest events that a session keeps for views that come back.
    public var replayEvents = 1_024
    /// The same, in bytes of their JSON text; whichever is reached first.
    public var replayBytes = 1 << 20
    /// Events, in bytes, that wait for one view which doesn't read; beyond it the view is ended.
    public var viewBytes = 8 << 20
    /// Client names that one session remembers the numbers of.
    public var clients = 1_024
    /// The longest client name, in bytes.
    public var clientBytes = 256
    /// How long a session without views can be attached again.
    public var resumeWindow = Duration.seconds(180)
    /// How long running handlers and unsent bytes have when the server or a connection ends.
    public var drainGrace = Duration.seconds(5)

    /// The defaults, which are the protocol's.
    public init() {}
}
