/// A value of Lua. Texts are Swift's, since all that a simulation stores is UTF-8.
enum LuaValue {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case table(LuaTable)
    case function(LuaFunction)

    var isTrue: Bool {
        switch self {
        case .null, .boolean(false): false
        default: true
        }
    }

    /// Numbers are texts where one is asked for.
    var asText: String? {
        switch self {
        case .text(let text): text
        case .number(let number): Self.text(of: number)
        default: nil
        }
    }

    var asNumber: Double? {
        switch self {
        case .number(let number): number
        case .text(let text): Double(text)
        default: nil
        }
    }

    static func text(of number: Double) -> String {
        if let whole = Int(exactly: number) { "\(whole)" } else { "\(number)" }
    }

    func isEqual(to other: LuaValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let one), .boolean(let two)): one == two
        case (.number(let one), .number(let two)): one == two
        case (.text(let one), .text(let two)): one == two
        case (.table(let one), .table(let two)): one === two
        case (.function(let one), .function(let two)): one === two
        default: false
        }
    }
}

final class LuaTable {
    /// Under 1, 2, …
    private(set) var list: [LuaValue]
    private(set) var named: [String: LuaValue] = [:]

    init(_ list: [LuaValue] = []) {
        self.list = list
    }

    subscript(_ name: String) -> LuaValue {
        get { named[name] ?? .null }
        set {
            if case .null = newValue { named[name] = nil } else { named[name] = newValue }
        }
    }

    func get(_ key: LuaValue) throws -> LuaValue {
        switch key {
        case .text(let name): return self[name]
        case .number(let number):
            guard let index = Int(exactly: number), index > 0, index <= list.count else { return .null }
            return list[index - 1]
        default: throw LuaError("a table has no such key")
        }
    }

    func set(_ key: LuaValue, _ value: LuaValue) throws {
        switch key {
        case .text(let name): self[name] = value
        case .number(let number):
            guard let index = Int(exactly: number), index > 0, index <= list.count + 1 else {
                throw LuaError("lists with gaps aren't known here")
            }
            if index <= list.count { list[index - 1] = value } else { list.append(value) }
            while case .null? = list.last { list.removeLast() }
        default: throw LuaError("a table has no such key")
        }
    }
}

final class LuaFunction {
    let call: ([LuaValue]) throws -> [LuaValue]

    init(_ call: @escaping ([LuaValue]) throws -> [LuaValue]) {
        self.call = call
    }
}

/// What a script has thrown.
// Unchecked: an error that is a table stays in its script, which runs on the loop.
struct LuaError: Error, @unchecked Sendable {
    let value: LuaValue

    init(_ value: LuaValue) {
        self.value = value
    }

    init(_ text: String) {
        value = .text(text)
    }

    var text: String {
        if case .table(let table) = value { return table["err"].asText ?? "a table" }
        return value.asText ?? "no text"
    }
}

/// The variables of a call.
final class LuaFrame {
    var slots: [LuaValue]
    let parent: LuaFrame?
    let globals: LuaTable

    init(_ count: Int, parent: LuaFrame?, globals: LuaTable) {
        slots = Array(repeating: .null, count: count)
        (self.parent, self.globals) = (parent, globals)
    }

    func frame(_ depth: Int) -> LuaFrame {
        var frame = self
        for _ in 0..<depth { frame = frame.parent ?? frame }
        return frame
    }
}
