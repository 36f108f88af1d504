import Sessions
import Stores

/// What other programs do with a Redis.
extension RedisServer {
    /// - Parameter words: a command without spaces in its arguments.
    @discardableResult
    func command(_ words: String) throws -> RESPValue { try run(words.split(separator: " ").map(String.init)) }

    @discardableResult
    func run(_ words: [String]) throws -> RESPValue {
        try RedisClient(try address, timeLimit: .seconds(60)).call(words)
    }

    /// As time does.
    func endLeases() throws {
        for key in try keys() where key.hasPrefix("vms:server:") { try command("DEL \(key)") }
    }

    func keys() throws -> [String] { (try command("KEYS *").array ?? []).compactMap(\.text).sorted() }
}

extension RedisStore {
    /// By which other servers know this one.
    var serverID: String { holder?.server ?? "" }
}
