/// What is in a made-up Redis, as a value, so that it can be set back to an earlier one.
struct RedisData {
    enum Value {
        case text(String)
        case hash(RedisHash)
        /// Ordered by score, then by member.
        case sorted([(score: Double, member: String)])
    }

    private var values: [String: Value] = [:]
    private var ends: [String: Duration] = [:]
    /// That of the simulation.
    var now = Duration.zero

    private func value(_ key: String) -> Value? {
        if let end = ends[key], end <= now { return nil }
        return values[key]
    }

    private mutating func set(_ key: String, _ value: Value?) {
        values[key] = value
        if value == nil { ends[key] = nil }
    }

    private func hash(_ key: String) throws -> RedisHash {
        switch value(key) {
        case nil: return RedisHash()
        case .hash(let hash)?: return hash
        case .text?, .sorted?: throw RedisCommandError.wrongType
        }
    }

    private mutating func change<Result>(_ key: String, _ body: (inout RedisHash) -> Result) throws -> Result {
        var hash = try hash(key)
        let result = body(&hash)
        set(key, hash.isEmpty ? nil : .hash(hash))
        return result
    }

    private func sorted(_ key: String) throws -> [(score: Double, member: String)] {
        switch value(key) {
        case nil: return []
        case .sorted(let members)?: return members
        case .text?, .hash?: throw RedisCommandError.wrongType
        }
    }

    private func text(_ key: String) throws -> String? {
        switch value(key) {
        case nil: return nil
        case .text(let text)?: return text
        case .hash?, .sorted?: throw RedisCommandError.wrongType
        }
    }

    private mutating func delete(_ keys: ArraySlice<String>) -> RedisAnswer {
        let found = keys.filter { value($0) != nil }
        for key in found { set(key, nil) }
        return .integer(found.count)
    }
}

/// Fields keep the order in which they came, so that a simulation does the same each time.
struct RedisHash {
    private(set) var names: [String] = []
    private var values: [String: String] = [:]

    var isEmpty: Bool { names.isEmpty }
    var count: Int { names.count }

    subscript(_ name: String) -> String? {
        get { values[name] }
        set {
            if values[name] == nil, newValue != nil { names.append(name) }
            if values[name] != nil, newValue == nil { names.removeAll { $0 == name } }
            values[name] = newValue
        }
    }
}

enum RedisAnswer {
    case null
    case integer(Int)
    case text(String)
    case list([RedisAnswer])
    case error(String)

    static func text(_ text: String?) -> RedisAnswer { text.map { .text($0) } ?? .null }
}

struct RedisCommandError: Error {
    let text: String

    static let wrongType = RedisCommandError(
        text: "WRONGTYPE Operation against a key holding the wrong kind of value")
}

// The commands, as Redis documents them.
extension RedisData {
    mutating func call(_ words: [String]) throws -> RedisAnswer {
        guard let name = words.first, words.count > 1 || name == "TIME" else {
            throw RedisCommandError(text: "ERR syntax")
        }
        let arguments = words.dropFirst()
        let key = arguments.first ?? ""
        switch name {
        case "TIME":
            let microseconds = 1_000_000_000_000 + Int(now / .microseconds(1))
            return .list([.text("\(microseconds / 1_000_000)"), .text("\(microseconds % 1_000_000)")])
        case "DEL", "UNLINK": return delete(arguments)
        case "EXISTS": return .integer(arguments.filter { value($0) != nil }.count)
        case "GET": return .text(try text(key))
        case "SET":
            set(key, .text(words[2]))
            ends[key] = words.count > 4 && words[3] == "PX" ? now + .milliseconds(Int(words[4]) ?? 0) : nil
            return .text("OK")
        case "PEXPIRE":
            guard value(key) != nil else { return .integer(0) }
            ends[key] = now + .milliseconds(Int(words[2]) ?? 0)
            return .integer(1)
        case _ where name.hasPrefix("H"): return try callHash(name, key, Array(arguments.dropFirst()))
        case _ where name.hasPrefix("Z"): return try callSorted(name, key, Array(arguments.dropFirst()))
        default: throw Self.unknown(name)
        }
    }

    private static func unknown(_ name: String) -> RedisCommandError {
        RedisCommandError(text: "ERR unknown command '\(name)': teach RedisData what it does")
    }

    private mutating func callHash(_ name: String, _ key: String, _ words: [String]) throws -> RedisAnswer {
        switch name {
        case "HGET": return .text(try hash(key)[words[0]])
        case "HMGET":
            let hash = try hash(key)
            return .list(words.map { .text(hash[$0]) })
        case "HGETALL":
            let hash = try hash(key)
            return .list(hash.names.flatMap { [.text($0), .text(hash[$0])] })
        case "HLEN": return .integer(try hash(key).count)
        case "HEXISTS": return .integer(try hash(key)[words[0]] == nil ? 0 : 1)
        case "HSET":
            return try change(key) { hash in
                let before = hash.count
                for index in stride(from: 0, to: words.count - 1, by: 2) { hash[words[index]] = words[index + 1] }
                return .integer(hash.count - before)
            }
        case "HSETNX":
            return try change(key) { hash in
                guard hash[words[0]] == nil else { return .integer(0) }
                hash[words[0]] = words[1]
                return .integer(1)
            }
        case "HDEL":
            return try change(key) { hash in
                let before = hash.count
                for word in words { hash[word] = nil }
                return .integer(before - hash.count)
            }
        case "HINCRBY":
            return try change(key) { hash in
                let number = (Int(hash[words[0]] ?? "0") ?? 0) + (Int(words[1]) ?? 0)
                hash[words[0]] = "\(number)"
                return .integer(number)
            }
        default: throw Self.unknown(name)
        }
    }

    private mutating func callSorted(_ name: String, _ key: String, _ words: [String]) throws -> RedisAnswer {
        var members = try sorted(key)
        switch name {
        case "ZCARD": return .integer(members.count)
        case "ZADD":
            let addsOnly = words[0] == "NX"
            for index in stride(from: addsOnly ? 1 : 0, to: words.count - 1, by: 2) {
                let (score, member) = (Double(words[index]) ?? 0, words[index + 1])
                if addsOnly, members.contains(where: { $0.member == member }) { continue }
                members.removeAll { $0.member == member }
                let place = members.firstIndex { ($0.score, $0.member) > (score, member) } ?? members.endIndex
                members.insert((score, member), at: place)
            }
        case "ZREM": members.removeAll { words.contains($0.member) }
        case "ZRANGEBYLEX":
            return .list(members.filter { Self.isIn($0.member, words[0], words[1]) }.map { .text($0.member) })
        case "ZREMRANGEBYLEX": members.removeAll { Self.isIn($0.member, words[0], words[1]) }
        case "ZRANGEBYSCORE":
            var found = members.filter { Self.isIn($0.score, words[0], words[1]) }[...]
            if words.count > 4, words[2] == "LIMIT" {
                found = found.dropFirst(Int(words[3]) ?? 0).prefix(Int(words[4]) ?? 0)
            }
            return .list(found.map { .text($0.member) })
        case "ZRANGE":
            guard let first = Int(words[0]), let last = Int(words[1]), first >= 0 else {
                throw RedisCommandError(text: "ERR a range that isn't known here")
            }
            return .list(members.prefix(max(0, last + 1)).dropFirst(first).map { .text($0.member) })
        case "ZREVRANGE":
            guard let first = Int(words[0]), let last = Int(words[1]), first >= 0 else {
                throw RedisCommandError(text: "ERR a range that isn't known here")
            }
            let found = members.reversed().prefix(last < 0 ? members.count + 1 + last : last + 1)
            return .list(found.dropFirst(first).map { .text($0.member) })
        case "ZSCORE": return .text(members.first { $0.member == words[0] }.map { LuaValue.text(of: $0.score) })
        default: throw Self.unknown(name)
        }
        let before = try sorted(key).count
        set(key, members.isEmpty ? nil : .sorted(members))
        return .integer(abs(members.count - before))
    }

    /// "-", "+", "[TEXT" or "(TEXT".
    private static func isIn(_ member: String, _ low: String, _ high: String) -> Bool {
        let (lowText, highText) = (String(low.dropFirst()), String(high.dropFirst()))
        let isAbove = low == "-" || member > lowText || (low.hasPrefix("[") && member == lowText)
        let isBelow = high == "+" || member < highText || (high.hasPrefix("[") && member == highText)
        return isAbove && isBelow
    }

    private static func isIn(_ score: Double, _ low: String, _ high: String) -> Bool {
        func bound(_ text: String) -> (number: Double, isOut: Bool) {
            switch text {
            case "-inf": (-.infinity, false)
            case "+inf": (.infinity, false)
            default: (Double(text.drop { $0 == "(" }) ?? 0, text.hasPrefix("("))
            }
        }
        let (low, high) = (bound(low), bound(high))
        return (low.isOut ? score > low.number : score >= low.number)
            && (high.isOut ? score < high.number : score <= high.number)
    }
}
