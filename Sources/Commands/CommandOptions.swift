import JSONRPC
import Serving
import ViewModels

/// The arguments of a command. Options may be written `--tcp 8080` or `--tcp=8080`; arguments behind `--` are another
/// program's.
protocol CommandOptions {
    init()

    /// Returns the effect of an option without a value; nil for any other option. (A function and not a dictionary, which would
    /// delay the start.)
    static func flag(_ option: String) -> ((inout Self) -> Void)?
    /// Returns the effect of an option with a value; nil for any other option. A `UsageError` in it needn't name the option.
    static func value(_ option: String) -> ((inout Self, String) throws -> Void)?

    /// Takes an argument that isn't an option.
    mutating func take(_ argument: String) throws
    /// Takes the arguments behind `--`.
    mutating func take(program: [String]) throws
    /// Checks rules on several arguments. Called last.
    func check() throws
}

extension CommandOptions {
    /// Reads the arguments.
    ///
    /// - Parameter own: the server's own options, for a command that needs the server's view models.
    init(_ arguments: [String], _ own: OwnOptions = .none) throws {
        self.init()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                try take(program: Array(rest))
                break
            }
            if argument.hasPrefix("-"), argument != "-" {
                try takeOption(argument, own, &rest)
            } else {
                try take(argument)
            }
        }
        try check()
    }

    private mutating func takeOption(
        _ argument: String, _ own: OwnOptions, _ rest: inout ArraySlice<String>
    ) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        func flag() throws(UsageError) {
            guard parts.count == 1 else { throw UsageError(message: "\(name) takes no value") }
        }
        func value() throws(UsageError) -> String {
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw UsageError(message: "\(name) needs a value")
            }
            return value
        }
        if let set = Self.flag(name) {
            try flag()
            set(&self)
        } else if let take = Self.value(name) {
            let value = try value()
            do {
                try take(&self, value)
            } catch let error as UsageError {
                throw UsageError(message: "\(name): \(error.message)")
            }
        } else if let option = own[name] {
            let value = option.valueName == nil ? "" : try value()
            if option.valueName == nil { try flag() }
            do throws(OptionValueError) {
                try option.take(value)
            } catch {
                throw UsageError(message: "\(name): takes \(error.expected), not '\(value)'")
            }
        } else {
            throw UsageError(message: "unknown option '\(name)'")
        }
    }

    /// Whether the command has an option of this name.
    static func takes(_ option: String) -> Bool { flag(option) != nil || value(option) != nil || option == "--help" }

    mutating func take(_ argument: String) throws {
        throw UsageError(message: "unexpected argument '\(argument)'")
    }

    mutating func take(program: [String]) throws {
        throw UsageError(message: "'--' is not expected here")
    }

    func check() throws {}
}

/// The error for a command line that can't be understood or isn't allowed.
package struct UsageError: Error {
    package let message: String
}

// Values of options that several commands have in common.

extension Duration {
    /// Reads a number of seconds.
    ///
    /// - Parameter text: a number greater than 0, such as "0.5".
    init(seconds text: String) throws {
        guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
            throw UsageError(message: "takes seconds, more than 0, not '\(text)'")
        }
        self = .seconds(seconds)
    }
}

extension Framing {
    init(option text: String) throws {
        switch text {
        case "headers": self = .headers
        case "lines": self = .lines
        default: throw UsageError(message: "takes headers or lines, not '\(text)'")
        }
    }
}

extension ServerLog.Level {
    init(option text: String) throws {
        guard let level = ServerLog.Level(rawValue: text) else {
            let known = ServerLog.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(message: "takes one of \(known), not '\(text)'")
        }
        self = level
    }
}
