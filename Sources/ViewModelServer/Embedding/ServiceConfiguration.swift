public import Hosting
import Serving
public import Sessions
import Stores

extension ViewModelService {
    /// What a service serves, to whom, and what it keeps.
    ///
    /// ```swift
    /// var configuration = ViewModelService.Configuration(tcp: .loopback(7351), store: .sqlite("sessions.db"))
    /// configuration.access = .principals(["ada": adasToken, "bob": bobsToken])
    /// ```
    ///
    /// What isn't set here isn't taken from the environment or the command line.
    public struct Configuration: Sendable {
        /// The name of the service, for its clients.
        public var name = "view-model-service"
        /// The version of the service, for its clients; not of the protocol.
        public var version = "0.0.0"
        /// The address to listen on; nil: no port. The same port has WebSocket, the web page, `/healthz` and `/metrics`.
        public var tcp: TCPAddress?
        /// The path of a Unix socket to listen on, which only this user may connect to; nil: none. At most 107 bytes.
        public var unix: String?
        /// Where the sessions of durable view models are kept; nil: they end with the service.
        public var store: Store?
        /// Whom the service lets in. With `everybody`, an address that other machines reach is refused.
        public var access = Access.everybody
        /// The bounds on what the service holds for its clients. `memoryBytes` and `unusedBytes` count the whole process, and
        /// so are without bound until you set them.
        public var limits: Limits
        /// Whether the TCP port has the web page.
        public var hasPage = true
        /// The path of a folder with views of your own for the web page, as `Server.pageViews`; nil: none.
        public var pageViews: String?
        /// Origins, as browsers write them (`https://views.example`), whose pages may connect by WebSocket, as the page of the
        /// service itself may; `*` for all.
        public var allowedOrigins: [String] = []
        /// Whether `/metrics` needs no token.
        public var opensMetrics = false
        /// The least important messages that `log` gets.
        public var logLevel = LogEntry.Level.warning
        /// Takes what the service has to say to the person who runs it. It is called on any thread, several at a time, and
        /// must not block. Notices, such as the address that the service listens on, come at any level.
        public var log: @Sendable (LogEntry) -> Void

        /// Makes a configuration. Without an address only `ViewModelService.connect(options:)` reaches the service.
        ///
        /// - Parameters:
        ///   - tcp: the address to listen on.
        ///   - unix: the path of a Unix socket to listen on.
        ///   - store: where the sessions of durable view models are kept.
        ///   - log: takes what the service has to say; by default nobody hears it.
        public init(
            tcp: TCPAddress? = nil, unix: String? = nil, store: Store? = nil,
            log: @escaping @Sendable (LogEntry) -> Void = { _ in }
        ) {
            self.tcp = tcp
            self.unix = unix
            self.store = store
            self.log = log
            limits = Limits()
            limits.memoryBytes = .max
            limits.unusedBytes = .max
        }
    }

    /// Where the sessions of durable view models are kept.
    public struct Store: Sendable {
        /// What a commit to a file survives.
        public enum Durability: Sendable {
            /// The end of the process, by any cause.
            case process
            /// The loss of power, too, as far as the disk keeps its word.
            case power
        }

        private enum Place {
            case sqlite(path: String, SQLiteStore.Durability)
            case redis(address: String)
        }

        private let place: Place
        let use: StoreUse

        /// Keeps sessions in a file, which only one server has at a time. It takes the system's SQLite
        /// (`libsqlite3.so.0`).
        ///
        /// - Parameters:
        ///   - path: the path of the file, which is made where there is none.
        ///   - durability: what a commit survives.
        ///   - takesOver: whether to take the file from a server that still has it. That one ends.
        public static func sqlite(
            _ path: String, durability: Durability = .process, takesOver: Bool = false
        ) -> Store {
            Store(
                place: .sqlite(path: path, durability == .power ? .power : .process),
                use: StoreUse(takesOver: takesOver))
        }

        /// Keeps sessions in Redis or Valkey, which servers share.
        ///
        /// - Parameters:
        ///   - address: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`, or `unix://[USER:PASSWORD@]/PATH[?db=DB]`.
        ///   - advertised: the address `HOST:PORT` at which the other servers reach this one, for clients that come to one of
        ///     them and whose session is here; nil: they don't.
        ///   - lease: the time without contact after which the other servers have the sessions of this one.
        public static func redis(_ address: String, advertised: String? = nil, lease: Duration = .seconds(10)) -> Store
        {
            Store(place: .redis(address: address), use: StoreUse(advertised: advertised, lease: lease))
        }

        /// - Throws: `StartError` for an address that isn't one.
        func source() throws(ViewModelService.StartError) -> StoreSource {
            switch place {
            case .sqlite(let path, let durability):
                // SQLite would take these for a database in memory, and for another file than the one that is watched.
                guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file:") else {
                    throw StartError(.configuration, "the store is the path of a file, not '\(path)'")
                }
                return .sqlite(path: path, durability)
            case .redis(let address):
                do throws(RedisAddress.Mistake) {
                    return .redis(try RedisAddress(address))
                } catch {
                    throw StartError(.configuration, "the store's address: \(error.reason)")
                }
            }
        }
    }

    /// Whom a service lets in.
    public enum Access: Sendable {
        /// Everybody who reaches it. On a TCP port these are all users of the machine, and the pages that a browser has
        /// loaded from the service itself.
        case everybody
        /// Whoever has the token, of 16 bytes at least.
        case token(String)
        /// Tokens by the names of their principals, which view models know by `Client.current`. A token has 16 bytes at
        /// least, and no blanks; a name has letters, digits and `. _ - @ +`, 64 at most.
        case principals([String: String])

        /// - Throws: `StartError` for tokens that can't be.
        func tokens() throws(ViewModelService.StartError) -> Tokens? {
            switch self {
            case .everybody: return nil
            case .token(let text):
                guard let token = Token(text), token.byteCount >= Tokens.shortest else {
                    throw StartError(
                        .configuration, "the token has less than \(Tokens.shortest) bytes; make them at random")
                }
                return Tokens(token)
            case .principals(let principals):
                do throws(Tokens.Mistake) {
                    return try Tokens(principals: principals)
                } catch {
                    throw StartError(.configuration, "the tokens: \(error.reason)")
                }
            }
        }
    }

    /// Why a service can't start, or can't go on.
    public struct StartError: Error, Hashable, Sendable, CustomStringConvertible {
        /// What has to be different for the next `run()`.
        public enum Cause: Hashable, Sendable {
            /// The configuration or the view models: trying again doesn't help.
            case configuration
            /// An address, which another program may have, or which this machine doesn't have.
            case address
            /// The store, which another server may have, or which isn't what it should be.
            case store
            /// The system has no thread or descriptor left.
            case system
        }

        /// What has to be different.
        public let cause: Cause
        /// The reason, in words for a person.
        public let description: String

        init(_ cause: Cause, _ description: String) {
            self.cause = cause
            self.description = description
        }
    }
}
