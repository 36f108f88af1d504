/// The bounds of a server: how much it holds for its clients, and for how long.
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
///     func register(in registry: inout Registry) { … }
/// }
/// ```
///
/// A request that would exceed a limit is answered `LimitExceeded`, with the limit's name as `data.limit`, unless noted
/// otherwise. On the command line, `--limit NAME=VALUE` sets one. No value may be negative.
public struct Limits: Sendable, Equatable {
    /// The largest message, in bytes: 16 MiB. After a larger one of a client its connection is closed. A larger event
    /// or snapshot of a view model isn't sent.
    public var messageBytes = 16 << 20
    /// The largest message of a client that isn't initialized, in bytes: 64 KiB. After a larger one its connection is
    /// closed.
    public var initialBytes = 64 << 10
    /// The largest header block before a message, and the longest white space between two messages, in bytes: 8 KiB.
    /// After more the connection is closed. The header of an HTTP request has the same bound.
    public var headerBytes = 8 << 10
    /// The time that a client has for its first byte, and then again for a successful `initialize`: 10 s. On a Unix
    /// socket it has that time for both together. After it the connection is closed. A client that spawned the server
    /// has as much time as it likes.
    public var initializeTime = Duration.seconds(10)
    /// The time from the first byte of a message to its last: 60 s. Then the connection is closed. A client that
    /// spawned the server has as much time as it likes.
    public var messageTime = Duration.seconds(60)
    /// Messages and HTTP requests of all clients whose end hasn't come, in bytes: 64 MiB. Beyond it the connection that holds
    /// most is closed. Connections that aren't initialized are closed before all others.
    public var unfinishedBytes = 64 << 20
    /// The time from the first byte of an HTTP request to its last, and the time in which a client may read nothing of
    /// an answer: 10 s. Then the connection is closed.
    public var httpRequestTime = Duration.seconds(10)
    /// Printed text, that of the log included, that waits for a reader of standard output, in bytes: 1 MiB, and as much
    /// for standard error. Further lines are left out, and counted.
    public var printedBytes = 1 << 20
    /// Lines in the log about one client in ten seconds: 20. Further ones are left out, and counted.
    public var clientLogLines = 20
    /// Lines in the log about all clients together in ten seconds: 200. Further ones are left out, and counted.
    public var logLines = 200
    /// The time between two HTTP requests of one connection: 60 s. Then it is closed.
    public var httpIdleTime = Duration.seconds(60)
    /// How deep arrays and objects nest in a message: 512. A deeper message is a `ParseError`.
    public var nesting = 512
    /// Members of objects and elements of arrays in one message: 20,000. A message with more is refused as a whole,
    /// though JSON allows it.
    public var messageValues = 20_000
    /// The longest id of a request, and `workDoneToken` of an event, in bytes: 1,024. A longer id is an
    /// `InvalidRequest`, a longer token `InvalidParams`.
    public var idBytes = 1_024
    /// Messages in one batch: 1,024. A longer batch is refused as a whole.
    public var batchMessages = 1_024
    /// Views on one connection: 1,024. One more is neither opened nor attached.
    public var sessions = 1_024
    /// Sessions of the whole server, including those without views: 65,536. For one more, the session that has been
    /// without views for longest ends, or leaves memory where it is durable. If all have views, none is opened.
    public var hostedSessions = 65_536
    /// Sessions that were opened from one address, or by one principal, including those without views: 16,384. For one
    /// more, the one of them that has been without views for longest ends, or leaves memory where it is durable. If all
    /// have views, none is opened. All Unix sockets count as one address, and so do all clients behind a proxy that
    /// have no principal.
    public var addressSessions = 16_384
    /// Connections of the whole server: 16,384. One more is closed with an error. Each takes a descriptor.
    public var connections = 16_384
    /// Connections from one address, or of one principal: 1,024. One more is closed with an error. Loopback addresses
    /// and Unix sockets, behind which there may be a proxy, have no bound of their own.
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
    /// How long handlers that stream (`Output.stream(_:)`) wait for a view that takes none of its events: 10 s. Then
    /// they don't wait for it any more, until it has caught up.
    public var viewTime = Duration.seconds(10)
    /// Client names that one session remembers, of those that numbered view events: 1,024. For one more, the name whose
    /// view has been gone for longest is forgotten. Nobody is refused.
    public var clients = 1_024
    /// The longest client name, in bytes of UTF-8: 256. A longer one is `InvalidParams`.
    public var clientBytes = 256
    /// Messages that wait for one client, in bytes: 1 MiB. Beyond it none of its messages is read, and no snapshot is
    /// made for it, until it has read what waits. Nothing is refused. A single answer may be longer.
    public var unreadBytes = 1 << 20
    /// Snapshots that are made for one connection at a time: 4. A further `session/attach` waits for its turn.
    public var snapshots = 4
    /// Rows of a list in one answer: 1,000. A client that asks for more gets the first of them.
    public var rows = 1_000
    /// Rows of a list in one answer, in bytes of JSON text: 1 MiB. A client that asks for more gets the first of them,
    /// and one at least.
    public var rowBytes = 1 << 20
    /// Requests for rows that one client has sent and that aren't answered: 64. One more is refused.
    public var rowRequests = 64
    /// How long a view model has for a snapshot: 30 s. Then the views that wait for it get all events, where the
    /// session still keeps them, or else are answered `ReplayUnavailable`.
    public var snapshotTime = Duration.seconds(30)
    /// Events and snapshots that all sessions keep for their clients, and 4 KiB for each session, in bytes: 512 MiB.
    /// Beyond it sessions without views end, those that have been without for longest first. The others keep only the
    /// events that their views have yet to see, and views that don't keep up are ended with the reason `overflow`. If
    /// that isn't enough, no session is opened and no snapshot is made.
    public var keptBytes = 512 << 20
    /// What sessions that were opened from one address, or by one principal, hold while without views, in bytes: 32
    /// MiB. It counts what they keep for clients, and the arguments and view events that they took, which a view model
    /// may keep. The first 4 KiB of each session don't count. Beyond it those that have been without views for longest
    /// end, if the process has allocated that much at all. One that alone holds more ends when its last view goes.
    public var abandonedBytes = 32 << 20
    /// Memory that the process has allocated, that of view models included, in bytes: 1 GiB. Beyond it sessions without
    /// views end, those that have been without for longest first. If that isn't enough, no session is opened. It needs
    /// glibc.
    public var memoryBytes = 1 << 30
    /// What the sessions hold that were opened from one address, or by one principal, in bytes: 256 MiB. It counts what they
    /// keep for clients, and the arguments and view events that they took, which a view model may keep. While the process has
    /// allocated more than half of `memoryBytes`, and others have sessions too, whoever holds more opens no session, and its
    /// view events are refused. It needs glibc.
    public var addressBytes = 256 << 20
    /// Unused memory that the process keeps when it is idle after a peak, in bytes: 16 MiB. More goes back to the
    /// system.
    public var unusedBytes = 16 << 20
    /// How long a handler may hold the thread of its loop, by computing or by a call that waits without `await`: 10 ms.
    /// Then the loop goes on in another thread, and the log names the handler. From then on the handlers of its view
    /// model begin on other threads. Time spent waiting for a `Mutex`, or for a page of memory, counts a quarter.
    /// Nothing is refused.
    public var handlerTime = Duration.milliseconds(10)
    /// Threads that the sessions of one view model may hold at a time: 64. A handler holds one by computing, or by a
    /// call that waits without `await`. Beyond it these sessions wait for a thread, and the log says so. Nothing is
    /// refused.
    public var handlerThreads = 64
    /// Processes that a server with `--isolate` runs for its clients: 64. A client that needs one more is refused in
    /// `initialize`, and its connection is closed.
    public var isolatedProcesses = 64
    /// How often the process of one client may end by itself within a minute, with `--isolate`: 5. Then none is started
    /// for that client until the minute is over.
    public var isolatedCrashes = 5
    /// The memory that the process of one client uses, with `--isolate`, in bytes: 1 GiB. It is looked at twice a
    /// second, and a process that uses more is ended.
    public var isolatedBytes = 1 << 30
    /// How long a session without views can be attached again: 180 s. Then it is closed. For durable sessions
    /// `idleTime` and `storedTime` count instead.
    public var resumeWindow = Duration.seconds(180)
    /// How long a durable session without views stays in memory: 60 s. Then it is in the store alone, and is made again
    /// when it is attached. The time begins anew while one of its handlers runs.
    public var idleTime = Duration.seconds(60)
    /// How long a stored session that nobody attaches is kept: 7 days. Then it is removed.
    public var storedTime = Duration.seconds(7 * 24 * 3_600)
    /// How often the store is told of scenes that are in memory.
    package var usePeriod: Duration { min(.seconds(3_600), max(.seconds(1), storedTime / 4)) }
    /// How long a client waits for a stored session to be read: 5 s. Then it is answered `StoreUnavailable`.
    public var storeTime = Duration.seconds(5)
    /// How long each of these has before it is given up: 5 s. Running handlers and unsent bytes, when the server or a
    /// connection ends; a handler that took its own session off the screen; `stop()` of a view model whose session has
    /// ended; the server's `shutDown()`.
    public var drainGrace = Duration.seconds(5)

    /// The defaults, which are the protocol's.
    public init() {}
}

/// The limits of a server, shared by all of its sessions, since a copy in each would take much of its memory.
package final class SharedLimits: Sendable {
    package let values: Limits
    /// The count of the bytes that these sessions keep.
    package let kept: KeptBytes

    package init(_ values: Limits, kept: KeptBytes? = nil) {
        self.values = values
        self.kept = kept ?? KeptBytes(maximum: values.keptBytes)
    }
}

// Limits by name, for the command line.
extension Limits {
    /// The error for a value that a limit can't have, or for a limit that doesn't exist.
    package struct Mistake: Error, Equatable {
        package let reason: String
    }

    package static var names: [String] { Limit.all.map(\.name) }

    /// Sets a limit.
    ///
    /// - Parameter value: a number, which may end in `KiB` or `MiB` where the limit is in bytes; for a time, seconds, such as
    ///   `0.5`.
    package mutating func set(_ name: String, to value: String) throws(Mistake) {
        guard let limit = Limit(named: name) else {
            throw Mistake(
                reason: "there is no limit '\(name)'; there are \(Self.names.sorted().joined(separator: ", "))")
        }
        switch limit.place {
        case .number(let path):
            guard let number = Self.number(value, isBytes: name.hasSuffix("Bytes")) else {
                let unit = name.hasSuffix("Bytes") ? " of bytes, such as 65536, 64KiB or 1MiB" : ""
                throw Mistake(reason: "'\(name)' takes a number\(unit), not '\(value)'")
            }
            self[keyPath: path] = number
        case .time(let path):
            guard let seconds = Double(value), seconds > 0, seconds <= 1e9 else {
                throw Mistake(reason: "'\(name)' takes seconds, more than 0, not '\(value)'")
            }
            self[keyPath: path] = .seconds(seconds)
        }
    }

    private static func number(_ text: String, isBytes: Bool) -> Int? {
        var (digits, factor) = (text[...], 1)
        for (unit, bytes) in [("KiB", 1 << 10), ("MiB", 1 << 20)] where isBytes && text.hasSuffix(unit) {
            (digits, factor) = (text.dropLast(unit.count), bytes)
        }
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(digits) else {
            return nil
        }
        let (product, overflows) = number.multipliedReportingOverflow(by: factor)
        return overflows ? nil : product
    }
}
