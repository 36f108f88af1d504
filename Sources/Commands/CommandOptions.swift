/// What a command's arguments ask for. Options may be written `--tcp 8080` or `--tcp=8080`; what follows `--` is another
/// program's.
protocol CommandOptions {
    init()

    /// What an option without a value does; nil for any other. (No dictionary: the first one of a process takes 0.1 ms, for
    /// the runtime to find that its keys can be hashed.)
    static func flag(_ option: String) -> ((inout Self) -> Void)?
    /// What takes the value of an option that has one; nil for any other. A `UsageError` needn't name the option.
    static func value(_ option: String) -> ((inout Self, String) throws -> Void)?

    /// Takes an argument that is no option.
    mutating func take(_ argument: String) throws
    /// Takes what follows `--`.
    mutating func take(program: [String]) throws
    /// Called last, for what arguments together must hold.
    func check() throws
}

extension CommandOptions {
    init(_ arguments: [String]) throws {
        self.init()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                try take(program: Array(rest))
                break
            }
            if argument.hasPrefix("-"), argument != "-" {
                try takeOption(argument, &rest)
            } else {
                try take(argument)
            }
        }
        try check()
    }

    private mutating func takeOption(_ argument: String, _ rest: inout ArraySlice<String>) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        if let set = Self.flag(name) {
            guard parts.count == 1 else { throw UsageError(message: "\(name) takes no value") }
            set(&self)
        } else if let take = Self.value(name) {
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw UsageError(message: "\(name) needs a value")
            }
            do {
                try take(&self, value)
            } catch let error as UsageError {
                throw UsageError(message: "\(name): \(error.message)")
            }
        } else {
            throw UsageError(message: "unknown option '\(name)'")
        }
    }

    mutating func take(_ argument: String) throws {
        throw UsageError(message: "unexpected argument '\(argument)'")
    }

    mutating func take(program: [String]) throws {
        throw UsageError(message: "'--' is not expected here")
    }

    func check() throws {}
}
