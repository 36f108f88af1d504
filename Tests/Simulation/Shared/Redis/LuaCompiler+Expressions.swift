extension LuaCompiler {
    private static let precedences: [String: Int] = [
        "or": 1, "and": 2, "<": 3, ">": 3, "<=": 3, ">=": 3, "~=": 3, "==": 3, "..": 4, "+": 5, "-": 5, "*": 6, "/": 6,
        "%": 6,
    ]

    mutating func expression(above level: Int = 0) throws -> Value {
        var left = try operand()
        while let (word, precedence) = nextOperator, precedence > level {
            _ = takes(word)
            // It binds to the right.
            let right = try expression(above: word == ".." ? precedence - 1 : precedence).one
            left = Value(one: Self.operation(word, left.one, right))
        }
        return left
    }

    private var nextOperator: (String, Int)? {
        guard case .word(let word) = peek, let precedence = Self.precedences[word] else { return nil }
        return (word, precedence)
    }

    private mutating func operand() throws -> Value {
        switch peek {
        case .number(let number):
            skip()
            return Value(one: { _ in .number(number) })
        case .text(let text):
            skip()
            return Value(one: { _ in .text(text) })
        case .word("nil"):
            skip()
            return Value(one: { _ in .null })
        case .word("true"), .word("false"):
            let isTrue = takes("true")
            if !isTrue { skip() }
            return Value(one: { _ in .boolean(isTrue) })
        case .word("function"):
            skip()
            return Value(one: try function())
        case .word("{"):
            skip()
            return Value(one: try table())
        case .word("not"), .word("-"), .word("#"): return Value(one: try unary())
        default: return try suffixed()
        }
    }

    private mutating func unary() throws -> Expression {
        if takes("not") {
            let value = try expression(above: 6).one
            return { .boolean(!(try value($0).isTrue)) }
        }
        if takes("-") {
            let value = try expression(above: 6).one
            return { .number(-(try Self.number(try value($0)))) }
        }
        skip()
        let value = try expression(above: 6).one
        return { frame in
            switch try value(frame) {
            case .table(let table): .number(Double(table.list.count))
            case let other: .number(Double(try Self.text(other).utf8.count))
            }
        }
    }

    /// Behind its brace.
    private mutating func table() throws -> Expression {
        var named: [(String, Expression)] = []
        var list: [Value] = []
        while !takes("}") {
            if case .name(let name) = peek, peekSecond == .word("=") {
                skip()
                skip()
                named.append((name, try expression().one))
            } else {
                list.append(try expression())
            }
            if !takes(",") { _ = takes(";") }
        }
        let (members, ones, last) = (named, list.dropLast().map(\.one), list.last.map { ($0.one, $0.many) })
        return { frame in
            var values: [LuaValue] = []
            for one in ones { values.append(try one(frame)) }
            if let (one, many) = last {
                if let many { values += try many(frame) } else { values.append(try one(frame)) }
            }
            let table = LuaTable(values)
            for (name, value) in members { table[name] = try value(frame) }
            return .table(table)
        }
    }

    private static func operation(
        _ word: String, _ left: @escaping Expression, _ right: @escaping Expression
    ) -> Expression {
        switch word {
        case "and":
            return { frame in
                let value = try left(frame)
                return value.isTrue ? try right(frame) : value
            }
        case "or":
            return { frame in
                let value = try left(frame)
                return value.isTrue ? value : try right(frame)
            }
        case "==": return { .boolean(try left($0).isEqual(to: try right($0))) }
        case "~=": return { .boolean(!(try left($0).isEqual(to: try right($0)))) }
        case "..": return { .text(try text(try left($0)) + text(try right($0))) }
        case "<": return { .boolean(try isLess(try left($0), try right($0))) }
        case ">": return { .boolean(try isLess(try right($0), try left($0))) }
        case "<=": return { .boolean(!(try isLess(try right($0), try left($0)))) }
        case ">=": return { .boolean(!(try isLess(try left($0), try right($0)))) }
        default: return { .number(calculate(word, try number(try left($0)), try number(try right($0)))) }
        }
    }

    private static func calculate(_ word: String, _ left: Double, _ right: Double) -> Double {
        switch word {
        case "+": left + right
        case "-": left - right
        case "*": left * right
        case "/": left / right
        default: left - (left / right).rounded(.down) * right
        }
    }

    /// Two numbers or two texts, as in Lua; a text isn't taken for a number here.
    private static func isLess(_ left: LuaValue, _ right: LuaValue) throws -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: throw LuaError("attempt to compare a number with something else")
        }
    }

    private static func number(_ value: LuaValue) throws -> Double {
        guard let number = value.asNumber else { throw LuaError("attempt to perform arithmetic on no number") }
        return number
    }

    static func text(_ value: LuaValue) throws -> String {
        guard let text = value.asText else { throw LuaError("attempt to concatenate what is no text") }
        return text
    }
}
