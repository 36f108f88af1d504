/// An option that a user's server declares besides those of this package.
package struct OwnOption: Sendable {
    /// The option's name with its dashes.
    let name: String
    /// The placeholder for the value in help texts; nil for a flag.
    let valueName: String?
    let help: String
    /// Takes a value, or "" for a flag. Called each time that the option is given.
    let take: @Sendable (String) throws(OptionValueError) -> Void

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - name: the name without dashes.
    ///   - valueName: the placeholder for the value; nil for a flag.
    package init(
        name: String, valueName: String?, help: String,
        take: @escaping @Sendable (String) throws(OptionValueError) -> Void
    ) {
        self.name = "--\(name)"
        self.valueName = valueName
        self.help = help
        self.take = take
    }
}

/// The error for a value that an option can't have.
package struct OptionValueError: Error {
    /// The expected kind of value, such as "a whole number".
    let expected: String

    package init(expected: String) {
        self.expected = expected
    }
}

/// The options that a user's server declares.
package struct OwnOptions: Sendable {
    static let none = OwnOptions([])

    private let all: [OwnOption]

    /// Takes the options in the order of their declaration.
    package init(_ options: [OwnOption]) {
        all = options
    }

    subscript(name: String) -> OwnOption? { all.first { $0.name == name } }

    /// Checks the names.
    ///
    /// - Throws: `UsageError` for a name that another option has, which is a mistake in the server.
    func check() throws(UsageError) {
        var names: Set<String> = []
        for option in all {
            guard names.insert(option.name).inserted else {
                throw UsageError(message: "this server declares \(option.name) twice")
            }
            let isTaken = [
                ServeOptions.takes(option.name), ReplayOptions.takes(option.name), ContractOptions.takes(option.name),
            ].contains(true)
            guard !isTaken else {
                let advice = "give it another name, as in @Option(name: \"…\")"
                throw UsageError(message: "this server declares \(option.name), which every server has; \(advice)")
            }
        }
    }

    /// Returns the section of a help text; empty if there are no options.
    ///
    /// - Parameters:
    ///   - executable: the name of the executable that has the options.
    ///   - column: the column at which explanations begin.
    func help(_ executable: String, column: Int = 24) -> String {
        guard !all.isEmpty else { return "" }
        let lines = all.flatMap { option in
            let usage = "  " + [option.name, option.valueName].compactMap { $0 }.joined(separator: " ")
            let margin = String(repeating: " ", count: column)
            let text = Self.wrapped(option.help, columns: 110 - column)
            guard let first = text.first else { return [usage] }
            let rest = text.dropFirst().map { margin + $0 }
            guard usage.count + 1 < column else { return [usage, margin + first] + rest }
            return [usage + String(repeating: " ", count: column - usage.count) + first] + rest
        }
        return "Options of \(executable):\n\(lines.joined(separator: "\n"))\n\n"
    }

    private static func wrapped(_ text: String, columns: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + word.count < columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
