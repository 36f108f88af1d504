import FoundationEssentials
import Hosting
import LibC
import Serving
import Sessions
import Stores

/// The store of durable sessions, as the options describe it.
struct StoreOptions: Equatable {
    enum Place: Equatable {
        /// The path of an SQLite file.
        case sqlite(path: String)
        case redis(RedisAddress)
    }

    /// The environment variable with the password of a Redis, since every user of the machine can read arguments.
    static let passwordVariable = "VIEW_MODEL_SERVER_STORE_PASSWORD"

    /// The place of the store; nil if nothing is stored.
    var place: Place?
    /// The durability of an SQLite store; nil if no option sets it.
    var durability: SQLiteStore.Durability?
    /// A file with the password of a Redis.
    var passwordFile: String?
    /// Whether to take over an SQLite file from a server that still has it.
    var takesOver = false
    /// The time without contact after which a scene doesn't belong to this server any more, among servers that share a Redis;
    /// nil if no option sets it.
    var lease: Duration?
    /// The address `HOST:PORT` at which other servers that share the store reach this one.
    var advertised: String?

    /// Sets the place of the store.
    ///
    /// - Parameter text: `sqlite:PATH`, or the address of a Redis.
    /// - Throws: `UsageError` for any other text.
    mutating func setStore(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0] == "sqlite", !parts[1].isEmpty {
            // SQLite would take these for a database in memory, and for another file than the one that is watched.
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
            // The text may contain a password, so it isn't always shown.
            let mistake = text.contains("@") ? "" : ", not '\(text)'"
            throw UsageError(message: "takes sqlite:PATH, redis://HOST:PORT or unix:///PATH\(mistake)")
        }
    }

    /// Sets the durability of an SQLite store.
    ///
    /// - Throws: `UsageError` for an unknown word.
    mutating func setDurability(_ text: String) throws {
        guard let durability = SQLiteStore.Durability(rawValue: text) else {
            let words = SQLiteStore.Durability.allCases.map(\.rawValue).joined(separator: " or ")
            throw UsageError(message: "takes \(words), not '\(text)'")
        }
        self.durability = durability
    }

    /// Checks rules on several options.
    ///
    /// - Throws: `UsageError` for options that don't go together.
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

    /// Opens the store, as `OpenStore` does.
    ///
    /// - Parameters:
    ///   - isolates: whether sessions are in processes of clients.
    ///   - onTakeover: called once, if another server takes the store over.
    /// - Returns: nil if nothing is stored.
    /// - Throws: `UnopenedStore` if the store can't be opened, `UsageError` if the password can't be read.
    func open(
        _ log: ServerLog, isolates: Bool, onTakeover: @escaping @Sendable (String) -> Void
    ) throws -> OpenStore? {
        guard let source = try source() else { return nil }
        let store: OpenStore
        do {
            store = try OpenStore(source, use, log: log, onTakeover: onTakeover)
        } catch let error as StoreError {
            throw UnopenedStore(error: error)
        } catch {
            throw UnopenedStore(error: .unavailable("\(error)"))
        }
        if case .redis? = place, advertised == nil {
            let reason = isolates ? "with --isolate" : "without --advertise HOST:PORT"
            log.notice("\(reason) no other server reaches the sessions that are here")
        }
        return store
    }

    private var use: StoreUse {
        var use = StoreUse(takesOver: takesOver, advertised: advertised)
        if let lease { use.lease = lease }
        return use
    }

    /// Returns the store to open, with the password.
    ///
    /// - Returns: nil if nothing is stored.
    /// - Throws: `UsageError` if the password can't be read.
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

    /// Returns the password from `--store-password-file`, or from the environment; nil if neither is set.
    private func password() throws -> String? {
        guard let passwordFile else { return getenv(Self.passwordVariable).map { String(cString: $0) } }
        guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
            throw UsageError(message: "--store-password-file \(passwordFile): there is no text that can be read")
        }
        // Editors and `echo` end the file with a line feed.
        let password = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard !password.isEmpty, !password.contains(where: \.isNewline) else {
            throw UsageError(message: "--store-password-file \(passwordFile): it has to be one line, the password")
        }
        return password
    }
}

/// The error for a store that can't be opened when a server starts.
struct UnopenedStore: Error, CustomStringConvertible {
    let error: StoreError

    var description: String { "the store can't be used: \(error.reason)" }

    /// The exit status. If only a person can correct the cause, it is that of a wrong command line, for which a supervisor
    /// doesn't start the server again.
    var status: Int32 {
        if case .unusable = error { ExitStatus.usage } else { ExitStatus.unavailable }
    }
}
