/// What a command's arguments ask for. Options may be written `--tcp 8080` or `--tcp=8080`; what follows `--` is another
/// program's.
protocol CommandOptions {
    init()

    /// Options without a value.
    static var flags: [String: any WritableKeyPath<Self, Bool> & Sendable] { get }
    /// Options with one, and what takes it. A `UsageError` needn't name the option.
    static var values: [String: @Sendable (inout Self, String) throws -> Void] { get }

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
        if let flag = Self.flags[name] {
            guard parts.count == 1 else { throw UsageError(message: "\(name) takes no value") }
            self[keyPath: flag] = true
        } else if let take = Self.values[name] {
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
