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
    struct Function {
        /// The names that can be seen, and their slots; the innermost is the last.
        var names: [(name: String, slot: Int)] = []
        var slotCount = 0
    }

    let tokens: [LuaToken]
    private(set) var place = 0
    var functions: [Function] = []

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

    static let nothing: List = { _ in [] }

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

    mutating func declare(_ name: String) -> Int {
        let function = functions.count - 1
        let slot = functions[function].slotCount
        functions[function].slotCount += 1
        functions[function].names.append((name, slot))
        return slot
    }

    func target(_ name: String) -> Target {
        for (depth, function) in functions.reversed().enumerated() {
            if let found = function.names.last(where: { $0.name == name }) {
                return .slot(depth: depth, index: found.slot)
            }
        }
        return .global(name)
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

    mutating func member(of value: Value) throws -> Value {
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
