import Sessions

/// How a server takes the store.
struct RedisTaking {
    static let storeKey = "vms:store"
    static let leaseKey = "vms:lease"
    static let usedKey = "vms:used"
    static let format = "1"

    private let address: RedisAddress
    private let lease: RedisLease
    private let takesOver: Bool
    private let leaseTime: Duration
    /// The lease of a process that has ended.
    private var over = ""
    /// Another server's lease, when it was looked at last, and what was left of it then, in milliseconds.
    private var seen: (lease: String, left: Int64)?

    init(_ address: RedisAddress, _ lease: RedisLease, takesOver: Bool, leaseTime: Duration) {
        self.address = address
        self.lease = lease
        self.takesOver = takesOver
        self.leaseTime = leaseTime
    }

    /// - Returns: the fencing number.
    /// - Throws: `StoreError`, where another server has it.
    mutating func take(
        _ client: RedisClient, _ wait: (Duration) -> Void, _ report: (String) -> Void
    ) throws(StoreError) -> [UInt8] {
        while true {
            let arguments = [lease.text, "\(Int(leaseTime / .milliseconds(1)))", takesOver ? "1" : "0", over]
            let answer = try client.call(
                .take, keys: [Self.storeKey, Self.leaseKey], arguments.map { Array($0.utf8) })
            switch (answer.first?.text, answer.count) {
            case ("ok", 2): return answer[1].bytes ?? []
            case ("format", 2): throw Self.otherFormat(answer[1].text ?? "", address)
            case ("held", 3):
                try judge(answer[1].text ?? "", left: answer[2].integer ?? -1, wait, report)
            default: throw .unusable("\(address): another program uses keys that begin with vms:")
            }
        }
    }

    static func otherFormat(_ format: String, _ address: RedisAddress) -> StoreError {
        .unusable(
            """
            \(address) has the store of another version of the server (format \(format); this one has \(Self.format)): \
            start that version, or name another database
            """)
    }

    /// Another server has a lease: returns when it is worth another try.
    private mutating func judge(
        _ text: String, left: Int64, _ wait: (Duration) -> Void, _ report: (String) -> Void
    ) throws(StoreError) {
        let other = RedisLease(text)
        switch other.isRunning(seenFrom: lease) {
        case true?: throw inUse(other)
        case false?: over = text
        case nil:
            // A server renews its lease long before it is over.
            guard left >= 0, seen.map({ $0.lease == text && $0.left >= left }) ?? true else { throw inUse(other) }
            if seen == nil {
                let seconds = (left + 999) / 1_000
                report("\(address) was left by another server, \(other.holder), or is in use: looking for \(seconds) s")
            }
            seen = (text, left)
            wait(.milliseconds(min(left + 1, 250)))
        }
    }

    private func inUse(_ other: RedisLease) -> StoreError {
        .unavailable(
            """
            \(address) is in use by another server, \(other.holder): \
            stop that, or start this one with --take-over
            """)
    }
}

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
