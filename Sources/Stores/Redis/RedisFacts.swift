import Sessions

/// The configuration of a Redis, as far as a store depends on it.
struct RedisFacts {
    private var values: [String: String] = [:]

    /// Nil where the user may not ask.
    ///
    /// - Throws: `StoreError`, where it can't be reached.
    init?(_ client: RedisClient) throws(StoreError) {
        let info: RESPValue
        do throws(StoreError) {
            info = try client.call(["INFO"])
        } catch {
            if error.reason.contains("NOPERM"), client.isConnected { return nil }
            throw error
        }
        for line in (info.text ?? "").split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
    }

    /// - Throws: `unusable` where sessions would get lost.
    func check(_ address: RedisAddress, _ report: (String) -> Void) throws(StoreError) {
        guard values["cluster_enabled"] != "1" else {
            throw .unusable(
                "\(address) is part of a cluster, which isn't supported yet: name a Redis that is none")
        }
        if let policy = values["maxmemory_policy"], policy.hasPrefix("allkeys"), values["maxmemory"] != "0" {
            throw .unusable(
                "\(address) removes keys when its memory is full (maxmemory-policy \(policy)): set it to noeviction")
        }
        if values["aof_enabled"] == "0" {
            report("\(address) has no append-only file (appendonly no): when it ends, sessions may be lost")
        }
    }
}
