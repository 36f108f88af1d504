/// Makes closures of a Lua script: enough of the language for the scripts of the store, and an error for the rest.
///
/// Each call has one slot for each of its variables, so a function that is made in a loop shares the variables of the turns.
// Over 400 lines because a language is one thing.
struct LuaCompiler {
    typealias Expression = @Sendable (LuaFrame) throws -> LuaValue
    typealias List = @Sendable (LuaFrame) throws -> [LuaValue]
    typealias Statement = @Sendable (LuaFrame) throws -> Flow

    enum Flow {
        case next
        case leave
        case answer([LuaValue])
    }

    /// An expression, and all of its values where it may have several.
    struct Value {
        let one: Expression
        var many: List?
        var target: Target?
    }

    /// What can be assigned to.
    enum Target: Sendable {
        case slot(depth: Int, index: Int)
        case global(String)
        case member(Expression, Expression)
    }

    /// A function that is being compiled.
    private struct Function {
        /// The names that can be seen, and their slots; the innermost is the last.
        var names: [(name: String, slot: Int)] = []
        var slotCount = 0
    }

    private let tokens: [LuaToken]
    private var place = 0
    private var functions: [Function] = []

    /// - Throws: `LuaError` where the script has something that isn't known here.
    static func compile(_ script: String) throws -> @Sendable (LuaTable) throws -> [LuaValue] {
        var compiler = LuaCompiler(tokens: try LuaLexer.tokens(script))
        compiler.functions = [Function()]
        let body = try compiler.block()
        guard compiler.tokens[compiler.place] == .end else { throw LuaError("the script goes on behind its end") }
        let count = compiler.functions[0].slotCount
        return { globals in
            if case .answer(let values) = try body(LuaFrame(count, parent: nil, globals: globals)) { return values }
            return []
        }
    }

    private init(tokens: [LuaToken]) {
        self.tokens = tokens
    }

    var peek: LuaToken { tokens[place] }
    var peekSecond: LuaToken { place + 1 < tokens.count ? tokens[place + 1] : .end }

    private static let nothing: List = { _ in [] }

    mutating func skip() {
        place += 1
    }

    mutating func takes(_ word: String) -> Bool {
        guard peek == .word(word) else { return false }
        place += 1
        return true
    }

    mutating func expect(_ word: String) throws {
        guard takes(word) else { throw LuaError("\(word) is expected in place of \(peek)") }
    }

    mutating func name() throws -> String {
        guard case .name(let name) = peek else { throw LuaError("a name is expected in place of \(peek)") }
        place += 1
        return name
    }

    private mutating func declare(_ name: String) -> Int {
        let function = functions.count - 1
        let slot = functions[function].slotCount
        functions[function].slotCount += 1
        functions[function].names.append((name, slot))
        return slot
    }

    private func target(_ name: String) -> Target {
        for (depth, function) in functions.reversed().enumerated() {
            if let found = function.names.last(where: { $0.name == name }) {
                return .slot(depth: depth, index: found.slot)
            }
        }
        return .global(name)
    }
}

// Statements.
extension LuaCompiler {
    private var isAtEnd: Bool {
        switch peek {
        case .end, .word("end"), .word("else"), .word("elseif"), .word("until"): true
        default: false
        }
    }

    mutating func block() throws -> Statement {
        let function = functions.count - 1
        let count = functions[function].names.count
        var statements: [Statement] = []
        while !isAtEnd {
            if takes(";") { continue }
            statements.append(try statement())
        }
        functions[function].names.removeLast(functions[function].names.count - count)
        return { [statements] frame in
            for statement in statements {
                let flow = try statement(frame)
                if case .next = flow { continue }
                return flow
            }
            return .next
        }
    }

    private mutating func statement() throws -> Statement {
        if takes("local") { return try local() }
        if takes("if") { return try condition() }
        if takes("for") { return try loop() }
        if takes("while") {
            let condition = try expression().one
            try expect("do")
            let body = try block()
            try expect("end")
            return Self.loop(body) { try condition($0).isTrue }
        }
        if takes("return") {
            let values = isAtEnd ? Self.nothing : try list()
            return { .answer(try values($0)) }
        }
        if takes("break") { return { _ in .leave } }
        if takes("do") {
            let body = try block()
            try expect("end")
            return body
        }
        if takes("function") {
            var value = Value(one: Self.get(target(try name())), target: target(lastName))
            while takes(".") { value = try member(of: value) }
            return assign(try function(), to: value)
        }
        let value = try suffixed()
        if takes("=") || peek == .word(",") { return try assignment(value) }
        guard let call = value.many else { throw LuaError("a call is expected before \(peek)") }
        return { frame in
            _ = try call(frame)
            return .next
        }
    }

    private var lastName: String {
        if case .name(let name) = tokens[place - 1] { name } else { "" }
    }

    private mutating func assignment(_ first: Value) throws -> Statement {
        var targets = [try target(of: first)]
        if peek == .word(",") {
            while takes(",") { targets.append(try target(of: try suffixed())) }
            try expect("=")
        }
        let (values, places) = (try list(), targets)
        return { frame in
            let values = try values(frame)
            for (index, place) in places.enumerated() {
                try Self.set(place, index < values.count ? values[index] : .null, frame)
            }
            return .next
        }
    }

    private func target(of value: Value) throws -> Target {
        guard let target = value.target else { throw LuaError("nothing can be assigned to that") }
        return target
    }

    private func assign(_ value: @escaping Expression, to place: Value) -> Statement {
        let target = place.target
        return { frame in
            if let target { try Self.set(target, try value(frame), frame) }
            return .next
        }
    }

    private mutating func local() throws -> Statement {
        if takes("function") {
            let slot = declare(try name())
            let made = try function()
            return { frame in
                frame.slots[slot] = try made(frame)
                return .next
            }
        }
        var names = [try name()]
        while takes(",") { names.append(try name()) }
        let values = takes("=") ? try list() : Self.nothing
        let slots = names.map { declare($0) }
        return { frame in
            let values = try values(frame)
            for (index, slot) in slots.enumerated() {
                frame.slots[slot] = index < values.count ? values[index] : .null
            }
            return .next
        }
    }

    /// Behind `if` or `elseif`.
    private mutating func condition() throws -> Statement {
        let condition = try expression().one
        try expect("then")
        let body = try block()
        var other: Statement = { _ in .next }
        if takes("elseif") {
            other = try self.condition()
        } else {
            if takes("else") { other = try block() }
            try expect("end")
        }
        return { [other] frame in try condition(frame).isTrue ? try body(frame) : try other(frame) }
    }

    private static func loop(
        _ body: @escaping Statement, while condition: @escaping @Sendable (LuaFrame) throws -> Bool
    ) -> Statement {
        { frame in
            while try condition(frame) {
                switch try body(frame) {
                case .next: continue
                case .leave: return .next
                case .answer(let values): return .answer(values)
                }
            }
            return .next
        }
    }

    private mutating func loop() throws -> Statement {
        var names = [try name()]
        while takes(",") { names.append(try name()) }
        if takes("=") { return try count(names[0]) }
        try expect("in")
        guard case .name(let kind) = peek, kind == "ipairs" || kind == "pairs" else {
            throw LuaError("a loop over something else than ipairs or pairs isn't known here")
        }
        place += 1
        try expect("(")
        let over = try expression().one
        try expect(")")
        try expect("do")
        let (body, slots) = try loopBody(names)
        return { frame in
            guard case .table(let table) = try over(frame) else {
                throw LuaError("\(kind) of something that is no table")
            }
            var pairs = table.list.enumerated().map { (LuaValue.number(Double($0.offset + 1)), $0.element) }
            if kind == "pairs" { pairs += table.named.sorted { $0.key < $1.key }.map { (.text($0.key), $0.value) } }
            for (key, value) in pairs {
                frame.slots[slots[0]] = key
                if slots.count > 1 { frame.slots[slots[1]] = value }
                switch try body(frame) {
                case .next: continue
                case .leave: return .next
                case .answer(let values): return .answer(values)
                }
            }
            return .next
        }
    }

    private mutating func loopBody(_ names: [String]) throws -> (Statement, slots: [Int]) {
        let function = functions.count - 1
        let slots = names.map { declare($0) }
        let body = try block()
        functions[function].names.removeLast(names.count)
        try expect("end")
        return (body, slots)
    }

    private mutating func count(_ name: String) throws -> Statement {
        let bounds = try list()
        try expect("do")
        let (body, slots) = try loopBody([name])
        return { frame in
            let numbers = try bounds(frame).map { value in
                guard let number = value.asNumber else { throw LuaError("a loop needs numbers") }
                return number
            }
            guard numbers.count > 1 else { throw LuaError("a loop needs two numbers") }
            for number in stride(from: numbers[0], through: numbers[1], by: numbers.count > 2 ? numbers[2] : 1) {
                frame.slots[slots[0]] = .number(number)
                switch try body(frame) {
                case .next: continue
                case .leave: return .next
                case .answer(let values): return .answer(values)
                }
            }
            return .next
        }
    }
}

// Functions and names.
extension LuaCompiler {
    /// Behind `function` and its name.
    mutating func function() throws -> Expression {
        functions.append(Function())
        try expect("(")
        var slots: [Int] = []
        while !takes(")") {
            slots.append(declare(try name()))
            _ = takes(",")
        }
        let body = try block()
        try expect("end")
        let count = functions.removeLast().slotCount
        let parameters = slots
        return { parent in
            .function(
                LuaFunction { arguments in
                    let frame = LuaFrame(count, parent: parent, globals: parent.globals)
                    for (index, slot) in parameters.enumerated() where index < arguments.count {
                        frame.slots[slot] = arguments[index]
                    }
                    if case .answer(let values) = try body(frame) { return values }
                    return []
                })
        }
    }

    /// A name or a value in parentheses, with what is asked of it.
    mutating func suffixed() throws -> Value {
        var value: Value
        if takes("(") {
            value = Value(one: try expression().one)
            try expect(")")
        } else {
            let target = target(try name())
            value = Value(one: Self.get(target), target: target)
        }
        while true {
            if peek == .word(".") || peek == .word("[") {
                value = try member(of: value)
            } else if takes("(") {
                value = try call(value)
            } else {
                return value
            }
        }
    }

    private mutating func member(of value: Value) throws -> Value {
        let key: Expression
        if takes("[") {
            key = try expression().one
            try expect("]")
        } else {
            _ = takes(".")
            let name = try name()
            key = { _ in .text(name) }
        }
        let target = Target.member(value.one, key)
        return Value(one: Self.get(target), target: target)
    }

    private mutating func call(_ value: Value) throws -> Value {
        let arguments: List
        if takes(")") {
            arguments = { _ in [] }
        } else {
            arguments = try list()
            try expect(")")
        }
        let callee = value.one
        let many: List = { frame in
            guard case .function(let function) = try callee(frame) else {
                throw LuaError("a call of something that is no function")
            }
            return try function.call(try arguments(frame))
        }
        return Value(one: { try many($0).first ?? .null }, many: many)
    }

    /// Values with commas between them; of the last one all.
    mutating func list() throws -> List {
        var values = [try expression()]
        while takes(",") { values.append(try expression()) }
        let (first, last) = (values.dropLast().map(\.one), values[values.count - 1])
        let (one, many) = (last.one, last.many)
        return { frame in
            var values: [LuaValue] = []
            for value in first { values.append(try value(frame)) }
            if let many { values += try many(frame) } else { values.append(try one(frame)) }
            return values
        }
    }

    static func get(_ target: Target) -> Expression {
        switch target {
        case .slot(0, let index): return { $0.slots[index] }
        case .slot(let depth, let index): return { $0.frame(depth).slots[index] }
        case .global(let name): return { $0.globals[name] }
        case .member(let table, let key):
            return { frame in
                guard case .table(let table) = try table(frame) else { throw LuaError("a member of what is no table") }
                return try table.get(try key(frame))
            }
        }
    }

    static func set(_ target: Target, _ value: LuaValue, _ frame: LuaFrame) throws {
        switch target {
        case .slot(let depth, let index): frame.frame(depth).slots[index] = value
        // As in Redis.
        case .global(let name): throw LuaError("Script attempted to create global variable '\(name)'")
        case .member(let table, let key):
            guard case .table(let table) = try table(frame) else { throw LuaError("a member of what is no table") }
            try table.set(try key(frame), value)
        }
    }
}
