import LibC
package import Sessions
package import Transport

/// A connection to a Redis: a socket, or its replacement in a simulation.
package protocol RedisConnection: AnyObject {
    /// Writes all the bytes.
    ///
    /// - Throws: when the peer has left, or takes nothing for too long. Any part may have been written.
    func write(_ bytes: [UInt8]) throws(SystemError)

    /// Reads the next bytes; empty at the end of the input.
    ///
    /// - Throws: when the connection fails, or nothing comes for too long.
    func read() throws(SystemError) -> [UInt8]
}

extension BlockingSocket: RedisConnection {
    package func read() throws(SystemError) -> [UInt8] { try read(atMost: 1 << 16) }
}

/// Connects to a Redis.
package typealias RedisConnector = (RedisAddress, _ timeLimit: Duration) throws(SystemError) -> any RedisConnection

/// Calls scripts of one Redis, over a connection that is made again when it was cut.
///
/// Calls must not overlap: only the journal's thread uses a client.
package final class RedisClient {
    private struct Connection {
        let socket: any RedisConnection
        var reader = RESPReader()
        /// The SHA-1 of each script, by its name.
        var scripts: [String: [UInt8]] = [:]
    }

    private let address: RedisAddress
    private let timeLimit: Duration
    private let connector: RedisConnector
    private let isChecked: Bool
    private var connection: Connection?
    /// The history of the data of the Redis that was connected to last; nil before the first connection, and where it isn't
    /// known.
    private var history: String?
    private var hasConnected = false
    private var hasChanged = false

    /// - Parameters:
    ///   - timeLimit: how long a Redis may send nothing before it counts as unreachable.
    ///   - isChecked: whether the configuration is checked at each connection, so that calls fail where sessions would get
    ///     lost.
    package init(
        _ address: RedisAddress, timeLimit: Duration, connector: @escaping RedisConnector = RedisClient.socket,
        isChecked: Bool = false
    ) {
        self.isChecked = isChecked
        self.address = address
        self.timeLimit = timeLimit
        self.connector = connector
    }

    /// Connects a socket to the first address that accepts.
    package static func socket(
        _ address: RedisAddress, _ timeLimit: Duration
    ) throws(SystemError) -> any RedisConnection {
        let addresses =
            switch address.place {
            case .tcp(let host, let port): try SocketAddress.resolve(host: host, port: port)
            case .unix(let path): [try SocketAddress(path: path)]
            }
        return try BlockingSocket(connectingTo: addresses, timeLimit: timeLimit)
    }

    func close() {
        connection = nil
    }

    var isConnected: Bool { connection != nil }

    /// Calls a script. The script may run twice when the connection is cut.
    ///
    /// - Throws: `StoreError`. After `unavailable` the script may have run.
    func call(_ script: RedisScript, keys: [String], _ arguments: [[UInt8]]) throws(StoreError) -> [RESPValue] {
        let count = arguments.count + keys.count + 3
        guard count <= Self.maximumArguments else {
            throw .unusable("a change of \(count) parts: Redis takes \(Self.maximumArguments)")
        }
        let value = try reconnecting { () throws(StoreError) in
            var value = try evaluate(script, keys, arguments)
            if case .error(let text) = value, text.hasPrefix("NOSCRIPT") {
                // Somebody has flushed the scripts.
                try loadScripts()
                value = try evaluate(script, keys, arguments)
            }
            return value
        }
        guard let values = value.array else {
            throw .unusable("\(address): an answer that the store's scripts don't give")
        }
        return values
    }

    /// Calls a command that isn't a script's.
    ///
    /// - Throws: `StoreError`.
    package func call(_ words: [String]) throws(StoreError) -> RESPValue {
        try reconnecting { () throws(StoreError) in try send(words.map { Array($0.utf8) }) }
    }

    /// The most arguments of a command.
    private static let maximumArguments = 1_000_000

    /// Runs `body`, and once more on a new connection where the connection turns out to be cut: Redis closes connections when
    /// it ends, and when nothing comes for a time.
    private func reconnecting(_ body: () throws(StoreError) -> RESPValue) throws(StoreError) -> RESPValue {
        let wasConnected = isConnected
        do throws(StoreError) {
            return try checked(body)
        } catch {
            guard wasConnected, isCut else { throw error }
            return try checked(body)
        }
    }

    /// Whether the last call failed because the other side has left.
    private var isCut = false

    private func checked(_ body: () throws(StoreError) -> RESPValue) throws(StoreError) -> RESPValue {
        isCut = false
        if connection == nil { try connect() }
        let value = try body()
        guard case .error(let text) = value else { return value }
        let failure = RedisFailure(text)
        // So the next call connects again, perhaps to a server that takes writes.
        if failure.isOfConnection { connection = nil }
        throw failure.error(at: address)
    }

    private func evaluate(
        _ script: RedisScript, _ keys: [String], _ arguments: [[UInt8]]
    ) throws(StoreError) -> RESPValue {
        let sha = connection?.scripts[script.name] ?? []
        let head = [Array("EVALSHA".utf8), sha, Array("\(keys.count)".utf8)] + keys.map { Array($0.utf8) }
        return try send(head + arguments)
    }

    /// Sends one command, and reads its answer.
    private func send(_ arguments: [[UInt8]]) throws(StoreError) -> RESPValue {
        try write(RESPValue.command(arguments))
        return try read()
    }

    private func write(_ bytes: [UInt8]) throws(StoreError) {
        guard let connection else { throw unreachable("it is closed") }
        do throws(SystemError) {
            try connection.socket.write(bytes)
        } catch {
            throw fail(error)
        }
    }

    private func read() throws(StoreError) -> RESPValue {
        guard let socket = connection?.socket, var reader = connection?.reader else {
            throw unreachable("it is closed")
        }
        // `reader` must be the only owner of its bytes, so that they aren't copied.
        connection?.reader = RESPReader()
        do {
            let value = try reader.next { try socket.read() }
            connection?.reader = reader
            return value
        } catch let error as SystemError {
            throw fail(error)
        } catch RESPError.ended {
            isCut = true
            throw unreachable("it has closed the connection")
        } catch {
            throw unreachable("it doesn't speak the protocol of Redis: \(error)")
        }
    }

    private func fail(_ error: SystemError) -> StoreError {
        isCut = error.isDeparture && !error.isTimeout
        let seconds = Double(timeLimit.components.seconds) + Double(timeLimit.components.attoseconds) / 1e18
        return unreachable(error.isTimeout ? "nothing came for \(seconds) s" : "\(error)")
    }

    private func unreachable(_ reason: String) -> StoreError {
        connection = nil
        return .unavailable("\(address) can't be reached (\(reason))")
    }
}

// Connecting.
extension RedisClient {
    private func connect() throws(StoreError) {
        do throws(SystemError) {
            connection = Connection(socket: try connector(address, timeLimit))
        } catch {
            throw unreachable(error.isTimeout ? "\(error.call) \(error.subject): no answer" : "\(error)")
        }
        do throws(StoreError) {
            try greet()
            if isChecked { try look(at: RedisFacts(try send([Array("INFO".utf8)]))) }
            try loadScripts()
        } catch {
            connection = nil
            throw error
        }
    }

    private func look(at facts: RedisFacts) throws(StoreError) {
        try facts.check(address)
        if hasConnected, facts.history == nil || facts.history != history { hasChanged = true }
        (history, hasConnected) = (facts.history, true)
    }

    /// Returns whether, since the last call, another Redis was connected to, or the same one after it had ended. Such a Redis
    /// may have less than was acknowledged. Always false for a client that isn't checked.
    func takeChange() -> Bool {
        defer { hasChanged = false }
        return hasChanged
    }

    private func greet() throws(StoreError) {
        var hello = ["HELLO", "3"]
        if let password = address.password { hello += ["AUTH", address.user ?? "default", password] }
        hello += ["SETNAME", "view-model-server"]
        try expectNoError(try send(hello.map { Array($0.utf8) }))
        if address.database != 0 {
            try expectNoError(try send(["SELECT", "\(address.database)"].map { Array($0.utf8) }))
        }
    }

    /// Loads all scripts, with all commands sent before the answers are read.
    private func loadScripts() throws(StoreError) {
        for script in RedisScript.all {
            try write(RESPValue.command(["SCRIPT", "LOAD", script.text].map { Array($0.utf8) }))
        }
        var failure: String?
        for script in RedisScript.all {
            switch try read() {
            case .error(let text): failure = failure ?? text
            case let value: connection?.scripts[script.name] = value.bytes
            }
        }
        if let failure { try expectNoError(.error(failure)) }
    }

    private func expectNoError(_ value: RESPValue) throws(StoreError) {
        if case .error(let text) = value { throw RedisFailure(text).error(at: address) }
    }
}

extension SystemError {
    fileprivate var isTimeout: Bool { code == ETIMEDOUT }
}

extension RedisClient {
    /// Returns the keys of all scenes, the most recently used first. After them come those that are missing from the list of
    /// uses.
    ///
    /// - Returns: nil where an answer isn't of the expected form.
    func roots() throws(StoreError) -> [String]? {
        guard let listed = try call(["ZREVRANGE", "vms:used", "0", "-1"]).array else { return nil }
        var roots = listed.compactMap(\.text)
        var known = Set(roots)
        var cursor = "0"
        repeat {
            let answer = try call(["SCAN", cursor, "MATCH", "vms:{*}", "COUNT", "1000"]).array
            guard let next = answer?.first?.text, let keys = answer?.last?.array else { return nil }
            for key in keys.compactMap(\.text) {
                let root = String(key.dropFirst("vms:{".count).dropLast())
                if known.insert(root).inserted { roots.append(root) }
            }
            cursor = next
        } while cursor != "0"
        return roots
    }
}
