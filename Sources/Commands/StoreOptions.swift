import FoundationEssentials
import LibC
import Serving
import Sessions
import Stores
import Transport

/// The store of durable sessions, as options name it.
struct StoreOptions: Equatable {
    enum Place: Equatable {
        /// The path of an SQLite file.
        case sqlite(path: String)
        case redis(RedisAddress)
    }

    /// Between two tries to open a store that isn't there yet.
    private static let waitTime = Duration.milliseconds(500)

    /// The environment variable of a Redis' password. Arguments could be read by every user of the machine.
    static let passwordVariable = "VIEW_MODEL_SERVER_STORE_PASSWORD"

    /// Nil where nothing is stored.
    var place: Place?
    /// Nil where no option says it.
    var durability: SQLiteStore.Durability?
    /// A file with the password of a Redis.
    var passwordFile: String?
    /// A file, from a server that still has it.
    var takesOver = false
    /// How long a scene stays this server's, of those that share a Redis, without a word of it; nil where no option says it.
    var lease: Duration?
    /// `HOST:PORT`, where other servers that share the store reach this one.
    var advertised: String?

    /// - Parameter text: `sqlite:PATH`, or the address of a Redis.
    /// - Throws: `UsageError` for another store.
    mutating func setStore(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0] == "sqlite", !parts[1].isEmpty {
            // SQLite would take them for a memory that is gone with the process, and for another file than is watched.
            guard parts[1] != ":memory:", !parts[1].hasPrefix("file:") else {
                throw UsageError(
                    message: "takes the path of a file, not '\(parts[1])': for a file of that name put ./ before it")
            }
            place = .sqlite(path: String(parts[1]))
        } else if parts.count == 2, text.contains("://") {
            do throws(RedisAddress.Mistake) {
                place = .redis(try RedisAddress(text))
            } catch {
                throw UsageError(message: error.reason)
            }
        } else {
            // It may have a password.
            let mistake = text.contains("@") ? "" : ", not '\(text)'"
            throw UsageError(message: "takes sqlite:PATH, redis://HOST:PORT or unix:///PATH\(mistake)")
        }
    }

    /// - Throws: `UsageError` for another word.
    mutating func setDurability(_ text: String) throws {
        guard let durability = SQLiteStore.Durability(rawValue: text) else {
            let words = SQLiteStore.Durability.allCases.map(\.rawValue).joined(separator: " or ")
            throw UsageError(message: "takes \(words), not '\(text)'")
        }
        self.durability = durability
    }

    /// - Throws: `UsageError`, where options don't go together.
    func check() throws {
        guard place != nil || self == StoreOptions() else {
            throw UsageError(
                message: "--sync, --take-over, --lease, --advertise and --store-password-file go with --store")
        }
        if case .redis? = place {
            guard durability == nil else {
                throw UsageError(
                    message: "--sync is for sqlite: with Redis, its appendfsync says what a commit survives")
            }
            guard !takesOver else {
                throw UsageError(
                    message: "--take-over is for sqlite: servers share a Redis, and each session is on one of them")
            }
        } else if passwordFile != nil {
            throw UsageError(message: "--store-password-file is for Redis")
        } else if lease != nil || advertised != nil {
            throw UsageError(message: "--lease and --advertise are for Redis, which servers share")
        }
    }

    /// A store, and what servers that share it show each other.
    struct Opened {
        let journal: Journal
        /// Nil where one server has it.
        let linkToken: [UInt8]?
    }

    /// Opens the store. Waits, and blocks the calling thread, as long as that may succeed by itself: a Redis starts beside the
    /// server, reads its data, is full, or is a replica for a while; a file is locked by another program, or its disk is full.
    ///
    /// - Parameters:
    ///   - isolates: the sessions are in processes of clients.
    ///   - onTakeover: called once, when another server has taken it over.
    /// - Returns: nil where nothing is stored.
    /// - Throws: `UnopenedStore`.
    func open(
        _ log: Log, isolates: Bool, onTakeover: @escaping @Sendable (String) -> Void
    ) throws -> Opened? {
        guard let source = try source() else { return nil }
        do throws(StoreError) {
            let store = try waitFor(source, log)
            let journal = try Journal(opening: store, log: { log.warning($0) }, onTakeover: onTakeover)
            if case .redis? = place, advertised == nil {
                let reason = isolates ? "with --isolate" : "without --advertise HOST:PORT"
                log.notice("\(reason) no other server reaches the sessions that are here")
            }
            return Opened(journal: journal, linkToken: (store as? RedisStore)?.linkToken)
        } catch {
            throw UnopenedStore(error: error)
        }
    }

    private func waitFor(_ source: StoreSource, _ log: Log) throws(StoreError) -> any ListedStore {
        var told: String?
        while true {
            do throws(StoreError) {
                let store = try source.take(takesOver: takesOver, advertised: advertised, lease: lease) {
                    log.warning("the store: \($0)")
                }
                if told != nil { log.notice("the store works") }
                return store
            } catch {
                guard case .unavailable(let reason) = error else { throw error }
                // Each reason once in a row: the next one may be another, as when it has started and reads its data.
                if reason != told { log.warning("waiting for the store before clients are served: \(reason)") }
                told = reason
                _ = Semaphore().wait(atMost: Self.waitTime)
            }
        }
    }

    /// What is to be opened, with the password.
    ///
    /// - Returns: nil where nothing is stored.
    /// - Throws: `UsageError`, where the password can't be read.
    func source() throws -> StoreSource? {
        switch place {
        case nil: return nil
        case .sqlite(let path)?: return .sqlite(path: path, durability ?? .process)
        case .redis(var address)?:
            if let password = try password() {
                guard address.password == nil else {
                    throw UsageError(
                        message:
                            "the address of the store has a password, and so has \(passwordFile ?? Self.passwordVariable)"
                    )
                }
                address.password = password
            }
            return .redis(address)
        }
    }

    /// That of `--store-password-file`, or of the environment.
    private func password() throws -> String? {
        guard let passwordFile else { return getenv(Self.passwordVariable).map { String(cString: $0) } }
        guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
            throw UsageError(message: "--store-password-file \(passwordFile): there is no text that can be read")
        }
        // Editors and `echo` end it so.
        let password = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard !password.isEmpty, !password.contains(where: \.isNewline) else {
            throw UsageError(message: "--store-password-file \(passwordFile): it has to be one line, the password")
        }
        return password
    }
}

/// Everything that is needed to open a store.
enum StoreSource {
    case sqlite(path: String, SQLiteStore.Durability)
    case redis(RedisAddress)

    /// Opens the store, as a server does: a file is taken, and a Redis shared.
    ///
    /// - Parameters:
    ///   - advertised: where other servers reach this one.
    ///   - lease: of the servers that share a Redis; nil for its default.
    func take(
        takesOver: Bool = false, advertised: String? = nil, lease: Duration? = nil, _ report: (String) -> Void
    ) throws(StoreError) -> any ListedStore {
        switch self {
        case .sqlite(let path, let durability):
            try SQLiteStore(path: path, durability: durability, takesOver: takesOver)
        case .redis(let address):
            try RedisStore(address, advertised: advertised, leaseTime: lease ?? .seconds(10), report: report)
        }
    }

    /// Opens it to read, whether or not a server has it.
    func read() throws(StoreError) -> any ListedStore {
        switch self {
        case .sqlite(let path, _): try SQLiteStore(reading: path)
        case .redis(let address): try RedisStore(reading: address)
        }
    }
}

extension Journal {
    /// - Throws: `StoreError`, where the system has no thread to give.
    fileprivate convenience init(
        opening store: any SessionStore, log: @escaping @Sendable (String) -> Void,
        onTakeover: @escaping @Sendable (String) -> Void
    ) throws(StoreError) {
        do {
            try self.init(store, log: log, onTakeover: onTakeover)
        } catch {
            throw .unavailable("\(error)")
        }
    }

    /// Stores what is left, and closes the store.
    func finish() async {
        await withCheckedContinuation { continuation in finish { continuation.resume() } }
    }
}

/// A server has no store to begin with.
struct UnopenedStore: Error, CustomStringConvertible {
    let error: StoreError

    var description: String { "the store can't be used: \(error.reason)" }

    /// That of a wrong command line, which a supervisor doesn't try again, where only a person can mend it.
    var status: Int32 {
        if case .unusable = error { ExitStatus.usage } else { ExitStatus.unavailable }
    }
}
