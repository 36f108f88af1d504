import LibC
import Stores
import Synchronization
import Transport

/// A Redis of the simulation: it runs the scripts that are shipped, on values.
///
/// Confined to the loop.
final class MadeUpRedis {
    typealias Script = @Sendable (LuaTable) throws -> [LuaValue]

    /// Compiled once for the process.
    private static let compiled = Mutex<[String: Script]>([:])

    var data = RedisData()
    /// Of the process. Connections end with it.
    private(set) var process = 1
    /// Changes a script before it is loaded, so as to put a fault in.
    private let edit: (String) -> String
    /// Called with what isn't known here.
    var onFault: (String) -> Void = { _ in }
    private var scripts: [String: Script] = [:]
    private var names: [String: String] = [:]
    private lazy var globals = LuaLibrary.globals { [unowned self] words in
        Self.value(try self.callInScript(words))
    }

    init(edit: @escaping (String) -> String = { $0 }) {
        self.edit = edit
    }

    /// - Parameter now: the time of Redis.
    func call(_ words: [String], at now: Duration) -> RedisAnswer {
        data.now = now
        do {
            switch words.first {
            case "HELLO", "SELECT": return .text("OK")
            case "INFO":
                return .text("run_id:\(process)\r\naof_enabled:1\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n")
            case "CONFIG": return .list([])
            case "SCRIPT" where words.count == 3: return .text(try load(words[2]))
            case "EVALSHA" where words.count > 2: return try evaluate(words)
            default: return try data.call(words)
            }
        } catch let error as LuaError {
            onFault(error.text)
            return .error(error.text.contains(" ") ? error.text : "ERR \(error.text)")
        } catch let error as RedisCommandError {
            return .error(error.text)
        } catch {
            return .error("ERR \(error)")
        }
    }

    /// Another one is in its place, with these data.
    func restart(with data: RedisData) {
        self.data = data
        process += 1
        (scripts, names) = ([:], [:])
    }

    private func load(_ text: String) throws -> String {
        if let name = names[text] { return name }
        let name = "script-\(names.count)"
        let edited = edit(text)
        let known = Self.compiled.withLock { $0[edited] }
        let script = try known ?? LuaCompiler.compile(edited)
        if known == nil { Self.compiled.withLock { $0[edited] = script } }
        (names[text], scripts[name]) = (name, script)
        return name
    }

    private func evaluate(_ words: [String]) throws -> RedisAnswer {
        guard let script = scripts[words[1]], let count = Int(words[2]) else { return .error("NOSCRIPT") }
        globals["KEYS"] = .table(LuaTable(words[3..<(3 + count)].map { .text($0) }))
        globals["ARGV"] = .table(LuaTable(words[(3 + count)...].map { .text($0) }))
        return Self.answer(try script(globals).first ?? .null)
    }

    private func callInScript(_ words: [String]) throws -> RedisAnswer {
        do {
            return try data.call(words)
        } catch let error as RedisCommandError {
            let table = LuaTable()
            table["err"] = .text(error.text)
            throw LuaError(.table(table))
        }
    }

    private static func value(_ answer: RedisAnswer) -> LuaValue {
        switch answer {
        case .null: return .boolean(false)
        case .integer(let number): return .number(Double(number))
        case .text("OK"):
            let table = LuaTable()
            table["ok"] = .text("OK")
            return .table(table)
        case .text(let text): return .text(text)
        case .list(let list): return .table(LuaTable(list.map { value($0) }))
        case .error(let text): return .text(text)
        }
    }

    private static func answer(_ value: LuaValue) -> RedisAnswer {
        switch value {
        case .null, .boolean(false), .function: return .null
        case .boolean(true): return .integer(1)
        case .number(let number): return .integer(Int(number))
        case .text(let text): return .text(text)
        case .table(let table):
            if let text = table["err"].asText { return .error(text) }
            if let text = table["ok"].asText { return .text(text) }
            // Up to the first nil.
            let list = table.list.prefix { if case .null = $0 { false } else { true } }
            return .list(list.map { answer($0) })
        }
    }
}

/// A connection to a `MadeUpRedis`, which answers a command as soon as it has come, unless its bytes or those of the answer
/// get lost.
final class MadeUpConnection: RedisConnection {
    /// What becomes of a command.
    enum Fate {
        case answered
        /// It isn't done.
        case unreachable
        /// It is done, and its answer doesn't come.
        case unanswered
        /// It is done, and the connection is cut in place of an answer.
        case cut
    }

    private let redis: MadeUpRedis
    private let now: () -> Duration
    private let fate: (_ words: [String]) -> Fate
    private let process: Int
    private var output: [UInt8] = []
    private var end: Fate?

    init(
        _ redis: MadeUpRedis, now: @escaping () -> Duration,
        fate: @escaping (_ words: [String]) -> Fate = { _ in .answered }
    ) {
        (self.redis, self.now, self.fate) = (redis, now, fate)
        process = redis.process
    }

    static let timeout = SystemError(code: ETIMEDOUT, call: "read", subject: "a made-up Redis")

    func write(_ bytes: [UInt8]) throws(SystemError) {
        if process != redis.process { end = .cut }
        guard end == nil else { throw SystemError(code: EPIPE, call: "write") }
        for words in Self.commands(bytes) {
            let fate = fate(words)
            if fate == .unreachable {
                end = fate
                return
            }
            let answer = redis.call(words, at: now())
            if fate == .answered {
                Self.write(answer, to: &output)
            } else {
                end = fate
            }
        }
    }

    func read() throws(SystemError) -> [UInt8] {
        defer { output = [] }
        if output.isEmpty, end != .cut { throw Self.timeout }
        return output
    }

    /// Whole commands, as a client writes them.
    private static func commands(_ bytes: [UInt8]) -> [[String]] {
        var (commands, rest): ([[String]], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            let count = takeNumber(&rest)
            commands.append(
                (0..<count).map { _ in
                    let length = takeNumber(&rest)
                    defer { rest = rest.dropFirst(length + 2) }
                    return String(decoding: rest.prefix(length), as: UTF8.self)
                })
        }
        return commands
    }

    /// Behind `*` or `$`, up to the end of the line.
    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> Int {
        let line = rest.prefix { $0 != 0x0D }
        rest = rest.dropFirst(line.count + 2)
        return Int(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 0
    }

    private static func write(_ answer: RedisAnswer, to bytes: inout [UInt8]) {
        switch answer {
        case .null: bytes += "_\r\n".utf8
        case .integer(let number): bytes += ":\(number)\r\n".utf8
        case .text(let text):
            bytes += "$\(text.utf8.count)\r\n".utf8
            bytes += text.utf8
            bytes += "\r\n".utf8
        case .list(let list):
            bytes += "*\(list.count)\r\n".utf8
            for answer in list { write(answer, to: &bytes) }
        case .error(let text): bytes += "-\(text)\r\n".utf8
        }
    }
}
