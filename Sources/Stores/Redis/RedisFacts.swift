import Sessions

/// The configuration of a Redis, as far as a store depends on it.
struct RedisFacts {
    private var values: [String: String] = [:]

    /// Asks for the configuration; nil where the user may not ask.
    ///
    /// - Parameter section: the section of `INFO`; nil: all of them.
    /// - Throws: `StoreError`, where the Redis can't be reached.
    init?(_ client: RedisClient, only section: String? = nil) throws(StoreError) {
        let info: RESPValue
        do throws(StoreError) {
            info = try client.call(["INFO"] + (section.map { [$0] } ?? []))
        } catch {
            if error.reason.contains("NOPERM"), client.isConnected { return nil }
            throw error
        }
        self.init(info)
    }

    /// Reads an answer to `INFO`.
    ///
    /// - Parameter info: the answer, or an error where the user may not ask. Then nothing is known.
    init(_ info: RESPValue) {
        for line in (info.text ?? "").split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
    }

    var hasAppendOnlyFile: Bool { values["aof_enabled"] != "0" }

    /// Identifies the process and the history of its data, which changes with each restart, failover and full copy from a
    /// master; nil where the user may not ask.
    var history: String? {
        values["run_id"].map { "\($0) \(values["master_replid"] ?? "")" }
    }

    /// Checks that the Redis can be used as a store.
    ///
    /// - Throws: `unusable` for a part of a cluster; `unavailable` where sessions would get lost.
    func check(_ address: RedisAddress) throws(StoreError) {
        guard values["cluster_enabled"] != "1" else {
            throw .unusable(
                "\(address) is part of a cluster, which isn't supported yet: name a Redis that is none")
        }
        try checkEviction(address)
    }

    /// Checks that the Redis doesn't remove keys when its memory is full, as it might remove those of a session or a server's
    /// lease.
    ///
    /// - Throws: `unavailable` where it does.
    func checkEviction(_ address: RedisAddress) throws(StoreError) {
        guard let policy = values["maxmemory_policy"], policy != "noeviction", values["maxmemory"] != "0" else {
            return
        }
        throw .unavailable(
            "\(address) removes keys when its memory is full (maxmemory-policy \(policy)): set it to noeviction")
    }
}
