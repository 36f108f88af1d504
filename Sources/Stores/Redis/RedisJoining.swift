import Sessions

/// A server's registration among those that share the store.
struct RedisJoining {
    static let storeKey = "vms:store"
    static let format = "2"

    private let address: RedisAddress
    private let lease: RedisLease
    private let leaseTime: Duration

    init(_ address: RedisAddress, _ lease: RedisLease, leaseTime: Duration) {
        self.address = address
        self.lease = lease
        self.leaseTime = leaseTime
    }

    static func serverKey(_ id: String) -> String { "vms:server:\(id)" }

    /// Makes the server's key last for the lease's time from now on, and creates the key where it isn't there.
    ///
    /// - Returns: whether the key was there.
    /// - Throws: `StoreError`; `unusable` where the store is of another version.
    func renew(_ client: RedisClient) throws(StoreError) -> Bool {
        let arguments = [lease.text, "\(max(1, Int(leaseTime / .milliseconds(1))))"]
        let answer = try client.call(
            .renew, keys: [Self.storeKey, Self.serverKey(lease.id)], arguments.map { Array($0.utf8) })
        if answer.first?.text == "format" { throw Self.otherFormat(answer.last?.text ?? "", address) }
        return answer.first?.text != "new"
    }

    /// Returns the token that servers with this store show each other. It is random, and made by the first of them. It needs
    /// no more protection than the store: who can read that has all sessions anyway.
    func linkToken(_ client: RedisClient) throws(StoreError) -> [UInt8] {
        let made = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        _ = try client.call(["HSETNX", Self.storeKey, "link", made])
        guard let token = try client.call(["HGET", Self.storeKey, "link"]).bytes, !token.isEmpty else {
            throw .unusable("\(address): another program uses keys that begin with vms:")
        }
        return token
    }

    static func otherFormat(_ format: String, _ address: RedisAddress) -> StoreError {
        .unusable(
            """
            \(address) has the store of another version of the server (format \(format); this one has \(Self.format)): \
            start that version, or name another database
            """)
    }
}
