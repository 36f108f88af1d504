import Sessions

/// An error that Redis answered with: its code, and advice for a person.
package struct RedisFailure {
    /// The permissions that a store's user needs, as rules of Redis' ACL.
    package static let permissions = "~vms:* +@connection +@read +@write +@scripting -@dangerous +info +time"

    private let code: String
    private let words: String

    /// Reads the text of an error.
    ///
    /// - Parameter text: "CODE words". Up to Redis 6, the error of a command in a script is in the middle of other words,
    ///   after a -.
    init(_ text: String) {
        let inner = text.hasPrefix("ERR ") ? text.firstRange(of: ": -").map { String(text[$0.upperBound...]) } : nil
        // For an unknown command, Redis repeats the arguments, one of which may be the password.
        words = (inner ?? text).prefix(before: ", with args beginning with")
        code = words.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
    }

    /// Whether another connection may lead to a server without this error.
    var isOfConnection: Bool { ["READONLY", "MASTERDOWN", "LOADING", "NOAUTH"].contains(code) }

    func error(at address: RedisAddress) -> StoreError {
        if let advice { return .unavailable("\(address): \(advice) (\(words))") }
        switch code {
        case "WRONGTYPE":
            return .unusable(
                "\(address): another program uses keys that begin with vms: (\(words)): name another database")
        // The call would fail again, however often it is tried.
        case "ERR": return .unusable("\(address): \(words)")
        default: return .unavailable("\(address): \(words)")
        }
    }

    /// The advice for a person; nil where none is known.
    private var advice: String? {
        switch code {
        case "LOADING": "it has just started, and still reads its data"
        case "READONLY": "it is a replica, which takes no changes: name its master"
        case "MASTERDOWN": "it is a replica without its master: name the master"
        case "OOM":
            "its memory is full: raise maxmemory, or end sessions sooner by the limit storedTime"
        case "MISCONF": "it can't write to its disk: its log says why"
        case "NOREPLICAS": "it has fewer replicas than min-replicas-to-write asks for"
        case "BUSY": "it runs a script of somebody else that takes long"
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN", "TRYAGAIN":
            "it is part of a cluster, which isn't supported yet: name a Redis that is none"
        case "WRONGPASS":
            "it doesn't know this user and password"
        case "NOAUTH":
            "it asks for a password: put it into the environment, VIEW_MODEL_SERVER_STORE_PASSWORD"
        case "NOPERM":
            "its user may not do this: allow \(Self.permissions)"
        case "ERR" where words.contains("The user executing the script can't"):
            "its user may not do this: allow \(Self.permissions)"
        case "ERR" where words.contains("unknown command") && words.lowercased().contains("hello"):
            "it is older than Redis 6, and speaks no RESP3: take a newer one"
        case "ERR" where words.contains("without any password") || words.contains("no password is set"):
            "it has no password, and was sent one: leave it out"
        case "ERR" where words.contains("DB index"): "it has no database of this number"
        case "ERR" where words.contains("max number of clients"): "it has no room for another client: raise maxclients"
        case "NOPROTO": "it speaks no RESP3: take Redis 6 or later"
        default: nil
        }
    }
}

extension String {
    fileprivate func prefix(before end: String) -> String {
        firstRange(of: end).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
