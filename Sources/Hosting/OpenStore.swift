package import Serving
package import Sessions
package import Stores
package import Transport

/// The parameters for opening a store.
package enum StoreSource: Sendable {
    case sqlite(path: String, SQLiteStore.Durability)
    case redis(RedisAddress)

    /// Opens the store for a server: a file becomes its own, a Redis is shared.
    package func open(
        _ use: StoreUse = StoreUse(), _ report: (String) -> Void
    ) throws(StoreError) -> any ListingStore {
        switch self {
        case .sqlite(let path, let durability):
            try SQLiteStore(path: path, durability: durability, takesOver: use.takesOver)
        case .redis(let address):
            try RedisStore(address, advertised: use.advertised, leaseTime: use.lease, report: report)
        }
    }

    /// Opens the store to read, whether or not a server has it.
    package func read() throws(StoreError) -> any ListingStore {
        switch self {
        case .sqlite(let path, _): try SQLiteStore(reading: path)
        case .redis(let address): try RedisStore(reading: address)
        }
    }
}

/// How a server has a store.
package struct StoreUse: Sendable, Equatable {
    /// Whether to take over a file from a server that still has it.
    package var takesOver = false
    /// The address `HOST:PORT` at which other servers that share the store reach this one.
    package var advertised: String?
    /// The time without contact after which a scene doesn't belong to this server any more, among servers that share a Redis.
    package var lease = Duration.seconds(10)

    package init(takesOver: Bool = false, advertised: String? = nil, lease: Duration = .seconds(10)) {
        self.takesOver = takesOver
        self.advertised = advertised
        self.lease = lease
    }
}

/// A store that a server has opened: a file is its own, a Redis is shared.
package struct OpenStore: Sendable {
    /// The time between two attempts to open a store that isn't available yet.
    private static let waitTime = Duration.milliseconds(500)

    package let journal: Journal
    /// The connector to the other servers; nil if only one server has the store.
    package let connector: LinkConnector?
    private let linkToken: [UInt8]?

    /// Opens the store. Blocks the calling thread as long as waiting may help: a Redis may still be starting, reading its data,
    /// full or a replica; a file may be locked by another program, or its disk full.
    ///
    /// - Parameters:
    ///   - isCancelled: asked between two attempts; where it is true, nothing is opened.
    ///   - onTakeover: called once, if another server takes the store over.
    /// - Throws: `StoreError` if the store can't be opened; `CancellationError`; `SystemError` if no thread is left.
    package init(
        _ source: StoreSource, _ use: StoreUse, log: ServerLog, isCancelled: () -> Bool = { false },
        onTakeover: @escaping @Sendable (String) -> Void
    ) throws {
        let store = try Self.waitFor(source, use, log, isCancelled)
        journal = try Journal(store, log: { log.warning($0) }, onTakeover: onTakeover)
        linkToken = (store as? RedisStore)?.linkToken
        connector = try linkToken.map { try LinkConnector(token: $0) }
    }

    private static func waitFor(
        _ source: StoreSource, _ use: StoreUse, _ log: ServerLog, _ isCancelled: () -> Bool
    ) throws -> any ListingStore {
        var told: String?
        while true {
            do throws(StoreError) {
                let store = try source.open(use) { log.warning("the store: \($0)") }
                if told != nil { log.notice("the store works") }
                return store
            } catch {
                guard case .unavailable(let reason) = error else { throw error }
                // A reason is logged once until another follows, as when a Redis has started and reads its data.
                if reason != told { log.warning("waiting for the store before clients are served: \(reason)") }
                told = reason
                _ = Semaphore().wait(atMost: waitTime)
                if isCancelled() { throw CancellationError() }
            }
        }
    }

    /// Returns the links to the other servers that share the store; nil if only one server has it.
    package func links(on loops: [EventLoop]) -> ServerLinks? {
        guard let linkToken, let connector else { return nil }
        return ServerLinks(token: linkToken, loops: loops) { connector.connect(to: $0, then: $1) }
    }

    /// Stores what is left, and closes the store.
    package func close() async {
        connector?.close()
        await withCheckedContinuation { continuation in journal.finish { continuation.resume() } }
    }
}
