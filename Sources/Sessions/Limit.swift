/// A limit as the command line, errors and the reference know it. Its default, and what it bounds, are at the property of
/// `Limits`.
package struct Limit: Sendable {
    package let name: String
    let place: Place
    package let telling: Telling

    enum Place: Sendable {
        case number(any WritableKeyPath<Limits, Int> & Sendable)
        case time(any WritableKeyPath<Limits, Duration> & Sendable)
    }

    /// How a client learns that it has come to the limit.
    package enum Telling: Sendable, Equatable {
        /// By a `LimitExceeded` with the limit's name.
        case error(retry: Retry)
        /// In another way, in words for the reference.
        case otherwise(String)
        /// Not at all. Nothing is refused: something waits, or is done in another way.
        case nothing
    }

    /// When trying again may help.
    package enum Retry: Sendable, Equatable {
        case never
        case after(milliseconds: Int)
        /// After the time that the error itself gives.
        case asItSays
    }

    private init(_ name: String, _ path: any WritableKeyPath<Limits, Int> & Sendable, _ telling: Telling) {
        (self.name, place, self.telling) = (name, .number(path), telling)
    }

    private init(_ name: String, _ path: any WritableKeyPath<Limits, Duration> & Sendable, _ telling: Telling) {
        (self.name, place, self.telling) = (name, .time(path), telling)
    }

    /// Finds a limit by its name; nil where there is none.
    package init?(named name: String) {
        guard let limit = Self.all.first(where: { $0.name == name }) else { return nil }
        self = limit
    }

    /// After how many milliseconds trying again may help; nil where it won't help, or the error itself gives the time.
    package var retryAfterMilliseconds: Int? {
        if case .error(.after(let milliseconds)) = telling { milliseconds } else { nil }
    }

    /// All limits, in the order of the properties of `Limits`.
    package static let all = [
        Limit("messageBytes", \.messageBytes, .error(retry: .never)),
        Limit("initialBytes", \.initialBytes, .error(retry: .never)),
        Limit("headerBytes", \.headerBytes, .error(retry: .never)),
        Limit("initializeTime", \.initializeTime, .error(retry: .never)),
        Limit("messageTime", \.messageTime, .error(retry: .never)),
        Limit("unfinishedBytes", \.unfinishedBytes, .error(retry: .after(milliseconds: 1_000))),
        Limit("httpRequestTime", \.httpRequestTime, .otherwise("its connection is closed")),
        Limit("printedBytes", \.printedBytes, .otherwise("a line says how many are left out")),
        Limit("clientLogLines", \.clientLogLines, .otherwise("a line says how many are left out")),
        Limit("logLines", \.logLines, .otherwise("a line says how many are left out")),
        Limit("httpIdleTime", \.httpIdleTime, .otherwise("its connection is closed")),
        Limit("nesting", \.nesting, .otherwise("`ParseError`")),
        Limit("messageValues", \.messageValues, .error(retry: .never)),
        Limit("idBytes", \.idBytes, .otherwise("`InvalidRequest`; of a token `InvalidParams`")),
        Limit("batchMessages", \.batchMessages, .error(retry: .never)),
        Limit("sessions", \.sessions, .error(retry: .never)),
        Limit("hostedSessions", \.hostedSessions, .error(retry: .after(milliseconds: 1_000))),
        Limit("addressSessions", \.addressSessions, .error(retry: .after(milliseconds: 1_000))),
        Limit("connections", \.connections, .error(retry: .after(milliseconds: 1_000))),
        Limit("addressConnections", \.addressConnections, .error(retry: .after(milliseconds: 1_000))),
        Limit("screens", \.screens, .otherwise("the view model, by an error")),
        Limit("pendingEvents", \.pendingEvents, .error(retry: .after(milliseconds: 100))),
        Limit("pendingBytes", \.pendingBytes, .error(retry: .after(milliseconds: 100))),
        Limit("replayEvents", \.replayEvents, .otherwise("a snapshot, or `ReplayUnavailable`")),
        Limit("replayBytes", \.replayBytes, .otherwise("a snapshot, or `ReplayUnavailable`")),
        Limit("viewBytes", \.viewBytes, .otherwise("`session/closed` with `overflow`")),
        Limit("viewTime", \.viewTime, .nothing),
        Limit("clients", \.clients, .nothing),
        Limit("clientBytes", \.clientBytes, .otherwise("`InvalidParams`")),
        Limit("unreadBytes", \.unreadBytes, .nothing),
        Limit("snapshots", \.snapshots, .nothing),
        Limit("rows", \.rows, .otherwise("fewer rows")),
        Limit("rowBytes", \.rowBytes, .otherwise("fewer rows")),
        Limit("rowRequests", \.rowRequests, .error(retry: .after(milliseconds: 100))),
        Limit("snapshotTime", \.snapshotTime, .otherwise("`ReplayUnavailable`")),
        Limit("keptBytes", \.keptBytes, .error(retry: .after(milliseconds: 1_000))),
        Limit("abandonedBytes", \.abandonedBytes, .otherwise("`UnknownSession`, when it comes back")),
        Limit("memoryBytes", \.memoryBytes, .error(retry: .after(milliseconds: 1_000))),
        Limit("addressBytes", \.addressBytes, .error(retry: .after(milliseconds: 1_000))),
        Limit("unusedBytes", \.unusedBytes, .nothing),
        Limit("handlerTime", \.handlerTime, .nothing),
        Limit("handlerThreads", \.handlerThreads, .nothing),
        Limit("isolatedProcesses", \.isolatedProcesses, .error(retry: .after(milliseconds: 1_000))),
        Limit("isolatedCrashes", \.isolatedCrashes, .error(retry: .asItSays)),
        Limit("isolatedBytes", \.isolatedBytes, .otherwise("`session/closed` with `failed`")),
        Limit("resumeWindow", \.resumeWindow, .otherwise("`UnknownSession`, when it comes back")),
        Limit("idleTime", \.idleTime, .nothing),
        Limit("storedTime", \.storedTime, .otherwise("`UnknownSession`, when it comes back")),
        Limit("storeTime", \.storeTime, .otherwise("`StoreUnavailable`")),
        Limit("drainGrace", \.drainGrace, .nothing),
    ]
}
