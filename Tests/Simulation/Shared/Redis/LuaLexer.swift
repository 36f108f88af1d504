/// The words of a Lua script.
enum LuaToken: Equatable {
    case name(String)
    /// A keyword or an operator.
    case word(String)
    case number(Double)
    case text(String)
    case end
}

struct LuaLexer {
    private static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not",
        "or",
        "repeat", "return", "then", "true", "until", "while",
    ]
    private static let operators = [
        "...", "..", "==", "~=", "<=", ">=", "+", "-", "*", "/", "%", "^", "#", "<", ">", "=", "(", ")", "{", "}", "[",
        "]",
        ";", ":", ",", ".",
    ]

    private let bytes: [UInt8]
    private var place = 0

    static func tokens(_ script: String) throws -> [LuaToken] {
        var lexer = LuaLexer(bytes: Array(script.utf8))
        var tokens: [LuaToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        return tokens + [.end]
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func next() throws -> LuaToken? {
        skipBlanks()
        guard place < bytes.count else { return nil }
        let byte = bytes[place]
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { return .text(try text(byte)) }
        if Self.isDigit(byte) {
            let word = take { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
            guard let number = Double(word) else { throw LuaError("\(word) is no number") }
            return .number(number)
        }
        if Self.isLetter(byte) {
            let word = take { Self.isLetter($0) || Self.isDigit($0) }
            return Self.keywords.contains(word) ? .word(word) : .name(word)
        }
        guard let found = Self.operators.first(where: { bytes[place...].starts(with: $0.utf8) }) else {
            throw LuaError("the script has a character that isn't known here: \(byte)")
        }
        place += found.utf8.count
        return .word(found)
    }

    private mutating func skipBlanks() {
        while place < bytes.count {
            if bytes[place] <= 0x20 {
                place += 1
            } else if bytes[place...].starts(with: "--".utf8) {
                while place < bytes.count, bytes[place] != 0x0A { place += 1 }
            } else {
                return
            }
        }
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> String {
        let start = place
        while place < bytes.count, isPart(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func text(_ quote: UInt8) throws -> String {
        place += 1
        var text: [UInt8] = []
        while place < bytes.count, bytes[place] != quote {
            if bytes[place] == UInt8(ascii: "\\") { throw LuaError("escapes aren't known here") }
            text.append(bytes[place])
            place += 1
        }
        place += 1
        return String(decoding: text, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
