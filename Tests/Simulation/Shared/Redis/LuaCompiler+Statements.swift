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
        let list = try list()
        try expect("do")
        let (body, slots) = try loopBody(names)
        return { frame in
            guard case .function(let next)? = try list(frame).first else { throw LuaError("a loop over no function") }
            while true {
                let values = try next.call([])
                if case .null = values.first ?? .null { return .next }
                for (index, slot) in slots.enumerated() {
                    frame.slots[slot] = index < values.count ? values[index] : .null
                }
                switch try body(frame) {
                case .next: continue
                case .leave: return .next
                case .answer(let values): return .answer(values)
                }
            }
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
