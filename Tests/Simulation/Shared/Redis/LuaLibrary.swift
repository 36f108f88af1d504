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
        // Iterators keep their place themselves: scripts call them in loops alone.
        add("ipairs", to: globals) { arguments in
            guard case .table(let table)? = arguments.first else { throw LuaError("ipairs of no table") }
            var place = 0
            return [
                .function(
                    LuaFunction { _ in
                        place += 1
                        let value = try table.get(.number(Double(place)))
                        if case .null = value { return [.null] }
                        return [.number(Double(place)), value]
                    })
            ]
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
            guard let found = try pattern.match(Array(try text(arguments, 0).utf8)) else { return [.null] }
            return [.number(Double(found.range.lowerBound + 1)), .number(Double(found.range.upperBound))]
        }
        add("match", to: string) { arguments in
            let found = try LuaPattern(try text(arguments, 1)).match(Array(try text(arguments, 0).utf8))
            return found?.captures.map { .text($0) } ?? [.null]
        }
        add("gmatch", to: string) { arguments in
            var found = try LuaPattern(try text(arguments, 1)).matches(Array(try text(arguments, 0).utf8))[...]
            return [.function(LuaFunction { _ in found.popFirst()?.captures.map { .text($0) } ?? [.null] })]
        }
        add("gsub", to: string) { try replace($0) }
        add("format", to: string) { arguments in
            guard try text(arguments, 0) == "%.0f" else { throw LuaError("a format that isn't known here") }
            return [.text("\(try int(arguments, 1))")]
        }
        globals["string"] = .table(string)
        let math = LuaTable()
        add("max", to: math) { [.number($0.compactMap(\.asNumber).max() ?? 0)] }
        add("min", to: math) { [.number($0.compactMap(\.asNumber).min() ?? 0)] }
        add("floor", to: math) { [.number(($0.first?.asNumber ?? 0).rounded(.down))] }
        globals["math"] = .table(math)
        let table = LuaTable()
        add("concat", to: table) { arguments in
            guard case .table(let table)? = arguments.first else { throw LuaError("table.concat of no table") }
            let first = try int(arguments, 2, or: 1)
            guard first > 0 else { throw LuaError("table.concat from before the first") }
            let texts = try table.list.dropFirst(first - 1).map { try LuaCompiler.text($0) }
            return [.text(texts.joined(separator: try text(arguments, 1)))]
        }
        globals["table"] = .table(table)
        let redis = LuaTable()
        add("call", to: redis) { [try call(try $0.map { try LuaCompiler.text($0) })] }
        add("pcall", to: redis) { arguments in
            do {
                return [try call(try arguments.map { try LuaCompiler.text($0) })]
            } catch let error as LuaError {
                // As Redis gives an error: a table, whatever is in it.
                let answer = LuaTable()
                answer["err"] = error.value
                return [.table(answer)]
            }
        }
        add("error_reply", to: redis) { arguments in
            let answer = LuaTable()
            answer["err"] = .text(try text(arguments, 0))
            return [.table(answer)]
        }
        globals["redis"] = .table(redis)
        return globals
    }

    /// `string.gsub` with a text in which `%1` stands for the first capture.
    private static func replace(_ arguments: [LuaValue]) throws -> [LuaValue] {
        let (bytes, new) = (Array(try text(arguments, 0).utf8), try text(arguments, 2))
        let found = try LuaPattern(try text(arguments, 1)).matches(bytes)
        var (result, place) = ("", 0)
        for match in found {
            result += String(decoding: bytes[place..<match.range.lowerBound], as: UTF8.self)
            result += new.split(separator: "%1", omittingEmptySubsequences: false).joined(separator: match.captures[0])
            place = match.range.upperBound
        }
        result += String(decoding: bytes[place...], as: UTF8.self)
        return [.text(result), .number(Double(found.count))]
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
