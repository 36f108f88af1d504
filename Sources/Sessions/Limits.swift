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
    /// Sessions of the whole server, including those without views: 65,536. For one more the one without views that was left
    /// first ends, or else it isn't opened.
    public var hostedSessions = 65_536
    /// Sessions that were opened from one address, including those without views: 16,384. For one more the one without views
    /// that was left first ends, or else it isn't opened. All Unix sockets count as one address, and so do all users behind a
    /// proxy.
    public var addressSessions = 16_384
    /// Connections of the whole server: 16,384. One more is closed with an error. Each takes a descriptor.
    public var connections = 16_384
    /// Connections from one address: 1,024. One more is closed with an error. Loopback addresses and Unix sockets, behind
    /// which there may be a proxy, have no bound of their own.
    public var addressConnections = 1_024
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
    /// Messages that wait for one client, in bytes: 1 MiB. Beyond it no more of its messages are read, and no more snapshots
    /// are made for it, until it has read them: nothing is refused. A single answer may be longer.
    public var unreadBytes = 1 << 20
    /// Snapshots that are made for one connection at a time: 4. A further `session/attach` waits for its turn.
    public var snapshots = 4
    /// How long a view model has for a snapshot: 30 s. Then the views that wait for it are answered `ReplayUnavailable`.
    public var snapshotTime = Duration.seconds(30)
    /// What all sessions keep for their clients, in bytes: 512 MiB. Events and snapshots count, and 4 KiB for each session.
    /// Beyond it sessions without views end, the one that was left first too; the others keep only the events that their
    /// views have yet to see, and views that don't keep up are ended with the reason `overflow`. If that isn't enough, no
    /// session is opened and no snapshot is made.
    public var keptBytes = 512 << 20
    /// What the process has allocated, in bytes: 1 GiB. It counts what view models keep, too, and needs glibc. Beyond it
    /// sessions without views end, the one that was left first too; if that isn't enough, no session is opened.
    public var memoryBytes = 1 << 30
    /// Memory that the process keeps for itself when it is idle after a peak, in bytes: 16 MiB. More goes back to the system.
    public var unusedBytes = 16 << 20
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
    /// What those sessions keep.
    package let kept: KeptBytes

    package init(_ values: Limits, kept: KeptBytes? = nil) {
        self.values = values
        self.kept = kept ?? KeptBytes(maximum: values.keptBytes)
    }
}
