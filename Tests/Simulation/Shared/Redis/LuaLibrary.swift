/// The functions of Lua that the scripts of the store use.
enum LuaLibrary {
    /// - Parameter call: does what `redis.call` is asked for.
    static func globals(call: @escaping ([String]) throws -> LuaValue) -> LuaTable {
        let globals = LuaTable()
        func add(_ name: String, to table: LuaTable, _ body: @escaping ([LuaValue]) throws -> [LuaValue]) {
            table[name] = .function(LuaFunction(body))
        }
        add("tonumber", to: globals) { [$0.first?.asNumber.map { .number($0) } ?? .null] }
        add("tostring", to: globals) { [.text($0.first?.asText ?? "a value")] }
        add("type", to: globals) { [.text(typeName($0.first ?? .null))] }
        add("error", to: globals) { throw LuaError($0.first ?? .null) }
        add("pcall", to: globals) { arguments in
            guard case .function(let function)? = arguments.first else { throw LuaError("pcall of no function") }
            do {
                return [.boolean(true)] + (try function.call(Array(arguments.dropFirst())))
            } catch let error as LuaError {
                return [.boolean(false), error.value]
            }
        }
        let string = LuaTable()
        add("sub", to: string) {
            [.text(sub(try text($0, 0), $0.count > 1 ? try int($0, 1) : 1, try int($0, 2, or: -1)))]
        }
        add("rep", to: string) { [.text(String(repeating: try text($0, 0), count: max(0, try int($0, 1))))] }
        add("len", to: string) { [.number(Double(try text($0, 0).utf8.count))] }
        add("find", to: string) { arguments in
            let isPlain = arguments.count > 3 && arguments[3].isTrue
            let pattern = LuaPattern(try text(arguments, 1), isPlain: isPlain)
            guard let found = try pattern.match(try text(arguments, 0)) else { return [.null] }
            return [.number(Double(found.start + 1)), .number(Double(found.end))]
        }
        add("match", to: string) { arguments in
            guard let found = try LuaPattern(try text(arguments, 1)).match(try text(arguments, 0)) else {
                return [.null]
            }
            return found.captures.map { .text($0) }
        }
        globals["string"] = .table(string)
        let math = LuaTable()
        add("max", to: math) { [.number($0.compactMap(\.asNumber).max() ?? 0)] }
        add("min", to: math) { [.number($0.compactMap(\.asNumber).min() ?? 0)] }
        add("floor", to: math) { [.number(($0.first?.asNumber ?? 0).rounded(.down))] }
        globals["math"] = .table(math)
        let table = LuaTable()
        add("insert", to: table) { arguments in
            guard arguments.count == 2, case .table(let table) = arguments[0] else { throw LuaError("table.insert") }
            try table.set(.number(Double(table.list.count + 1)), arguments[1])
            return []
        }
        globals["table"] = .table(table)
        let redis = LuaTable()
        add("call", to: redis) { [try call(try $0.map { try LuaCompiler.text($0) })] }
        add("error_reply", to: redis) { arguments in
            let answer = LuaTable()
            answer["err"] = .text(try text(arguments, 0))
            return [.table(answer)]
        }
        globals["redis"] = .table(redis)
        return globals
    }

    private static func typeName(_ value: LuaValue) -> String {
        switch value {
        case .null: "nil"
        case .boolean: "boolean"
        case .number: "number"
        case .text: "string"
        case .table: "table"
        case .function: "function"
        }
    }

    private static func text(_ arguments: [LuaValue], _ place: Int) throws -> String {
        guard place < arguments.count, let text = arguments[place].asText else {
            throw LuaError("a function of string wants a text")
        }
        return text
    }

    private static func int(_ arguments: [LuaValue], _ place: Int, or missing: Int? = nil) throws -> Int {
        if place >= arguments.count, let missing { return missing }
        guard place < arguments.count, let number = arguments[place].asNumber, let int = Int(exactly: number) else {
            throw LuaError("a function of string wants a whole number")
        }
        return int
    }

    /// From 1 on; negative ones count from the end.
    private static func sub(_ text: String, _ first: Int, _ last: Int) -> String {
        let bytes = text.utf8
        let start = max(1, first < 0 ? bytes.count + first + 1 : first)
        let end = min(bytes.count, last < 0 ? bytes.count + last + 1 : last)
        guard start <= end else { return "" }
        return String(decoding: bytes.dropFirst(start - 1).prefix(end - start + 1), as: UTF8.self)
    }
}

/// A pattern of Lua: literals, classes such as `%d`, `+` and `*` behind one, one capture, and `^`.
struct LuaPattern {
    struct Found {
        let start: Int
        let end: Int
        /// Without any in the pattern, all that it has matched.
        let captures: [String]
    }

    private let pattern: [UInt8]
    private let isPlain: Bool

    init(_ pattern: String, isPlain: Bool = false) {
        (self.pattern, self.isPlain) = (Array(pattern.utf8), isPlain)
    }

    func match(_ text: String) throws -> Found? {
        let text = Array(text.utf8)
        let isAnchored = !isPlain && pattern.first == UInt8(ascii: "^")
        for start in 0...text.count {
            var captures: [Range<Int>] = []
            if let end = try match(text, start, isAnchored ? 1 : 0, &captures) {
                if captures.isEmpty { captures = [start..<end] }
                return Found(
                    start: start, end: end, captures: captures.map { String(decoding: text[$0], as: UTF8.self) })
            }
            if isAnchored { return nil }
        }
        return nil
    }

    /// Takes as much as it can and never gives any back, which is enough where the next character isn't of the class.
    private func match(_ text: [UInt8], _ start: Int, _ first: Int, _ captures: inout [Range<Int>]) throws -> Int? {
        var (at, place, open) = (start, first, 0)
        while place < pattern.count {
            let byte = pattern[place]
            if !isPlain, byte == UInt8(ascii: "(") {
                open = at
                place += 1
                continue
            }
            if !isPlain, byte == UInt8(ascii: ")") {
                captures.append(open..<at)
                place += 1
                continue
            }
            let isClass = !isPlain && byte == UInt8(ascii: "%")
            if isClass { place += 1 }
            let wanted = pattern[place]
            place += 1
            let repeats = !isPlain && place < pattern.count ? pattern[place] : 0
            if repeats == UInt8(ascii: "+") || repeats == UInt8(ascii: "*") {
                place += 1
                let begin = at
                while at < text.count, try fits(text[at], wanted, isClass) { at += 1 }
                if at == begin, repeats == UInt8(ascii: "+") { return nil }
            } else {
                guard at < text.count, try fits(text[at], wanted, isClass) else { return nil }
                at += 1
            }
        }
        return at
    }

    private func fits(_ byte: UInt8, _ wanted: UInt8, _ isClass: Bool) throws -> Bool {
        guard isClass else { return !isPlain && wanted == UInt8(ascii: ".") || byte == wanted }
        switch wanted {
        case UInt8(ascii: "d"): return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        case UInt8(ascii: "u"): return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        case UInt8(ascii: "l"): return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            throw LuaError("a class of characters that isn't known here")
        default: return byte == wanted
        }
    }
}
