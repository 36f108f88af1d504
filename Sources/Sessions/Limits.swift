/// How much the server holds for its clients, and for how long.
///
/// ```swift
/// @main struct ShopServer: Server {
///     static var limits: Limits {
///         var limits = Limits()
///         limits.resumeWindow = .seconds(3_600)
///         limits.replayEvents = 10_000
///         return limits
///     }
///
///     static func register(in registry: inout Registry) { … }
/// }
/// ```
///
/// These are all the bounds of the protocol's flow control. A request that would exceed one is answered
/// `LimitExceeded`, with `data.limit` set to the name below, unless noted otherwise. None may be negative.
public struct Limits: Sendable, Equatable {
    /// The largest message that is read, in bytes: 16 MiB. After a larger one the connection is closed.
    public var messageBytes = 16 << 20
    /// The largest header block before a message, in bytes: 8 KiB. After a larger one the connection is closed.
    public var headerBytes = 8 << 10
    /// How deep arrays and objects nest in a message: 512. A deeper message is a `ParseError`.
    public var nesting = 512
    /// Messages in one batch: 1,024. A longer batch is refused as a whole.
    public var batchMessages = 1_024
    /// Views on one connection: 1,024. One more is neither opened nor attached.
    public var sessions = 1_024
    /// Sessions of the whole server, including those without views: 65,536. One more isn't opened.
    public var hostedSessions = 65_536
    /// View models on screen in one opened session, itself included: 1,024. One more isn't shown: `push` and `present`
    /// throw `NavigationError.tooMany`.
    public var screens = 1_024
    /// View events that wait in one session: 4,096. One more is refused, and takes no number; other sessions go on.
    public var pendingEvents = 4_096
    /// View events that wait in one session, in bytes of JSON text: 8 MiB. One event alone may be longer.
    public var pendingBytes = 8 << 20
    /// Events that one session keeps for views that come back: 1,024. The oldest goes first. A view that needs older
    /// ones gets a snapshot, or `ReplayUnavailable`.
    public var replayEvents = 1_024
    /// Events that one session keeps, in bytes of JSON text: 1 MiB. The bound that is reached first counts.
    public var replayBytes = 1 << 20
    /// Events that wait for one view, in bytes of JSON text: 8 MiB. Beyond it the view is ended with the reason
    /// `overflow`; the session goes on.
    public var viewBytes = 8 << 20
    /// Client names that one session remembers: 1,024. A view under a further name isn't attached.
    public var clients = 1_024
    /// The longest client name, in bytes of UTF-8: 256. A longer one is `InvalidParams`.
    public var clientBytes = 256
    /// How long a session without views can be attached again: 180 s. Then it is closed.
    public var resumeWindow = Duration.seconds(180)
    /// How long running handlers and unsent bytes have when the server or a connection ends, and a handler that took its own
    /// session off the screen: 5 s. Then they are given up.
    public var drainGrace = Duration.seconds(5)

    /// The defaults, which are the protocol's.
    public init() {}
}

/// The limits of a server, shared by all of its sessions, since a copy in each would take much of its memory.
package final class SharedLimits: Sendable {
    package let values: Limits

    package init(_ values: Limits) {
        self.values = values
    }
}
