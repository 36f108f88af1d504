import Sessions

/// The configuration of a Redis, as far as a store depends on it.
struct RedisFacts {
    private var values: [String: String] = [:]

    /// - Parameter section: of what `INFO` says; nil: all of them.
    /// - Returns: nil where the user may not ask.
    /// - Throws: `StoreError`, where it can't be reached.
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

    /// - Parameter info: the answer to `INFO`; an error where the user may not ask, which says nothing.
    init(_ info: RESPValue) {
        for line in (info.text ?? "").split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
    }

    var hasAppendOnlyFile: Bool { values["aof_enabled"] != "0" }

    /// Names the process and the history of its data, which is another one after each restart, failover and full copy from a
    /// master; nil where the user may not ask.
    var history: String? {
        values["run_id"].map { "\($0) \(values["master_replid"] ?? "")" }
    }

    /// - Throws: `unusable` for a part of a cluster; `unavailable` where sessions would get lost.
    func check(_ address: RedisAddress) throws(StoreError) {
        guard values["cluster_enabled"] != "1" else {
            throw .unusable(
                "\(address) is part of a cluster, which isn't supported yet: name a Redis that is none")
        }
        try checkEviction(address)
    }

    /// - Throws: `unavailable` where it removes keys when its memory is full: of a session, or the lease of a server.
    func checkEviction(_ address: RedisAddress) throws(StoreError) {
        guard let policy = values["maxmemory_policy"], policy != "noeviction", values["maxmemory"] != "0" else {
            return
        }
        throw .unavailable(
            "\(address) removes keys when its memory is full (maxmemory-policy \(policy)): set it to noeviction")
    }
}
