/// What the command line asks for.
struct Options {
    var server: String?
    var limit: String?
    var only: [String] = []
    var effort = Effort()
    var printsJSON = false
    var showsHelp = false

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else { throw UsageError(message: "\(argument) takes a value") }
                return value
            }
            switch argument {
            case "--server": server = try value()
            case "--limit": limit = try value()
            case "--only": only.append(try value())
            case "--short": effort = .short
            case "--rounds": effort.rounds = try Options.number(value(), Int.init, argument)
            case "--seconds": effort.seconds = try Options.number(value(), Double.init, argument)
            case "--json": printsJSON = true
            case "--help", "-h": showsHelp = true
            default: throw UsageError(message: "unknown option '\(argument)'; see --help")
            }
        }
    }

    private static func number<Number: Comparable & Numeric>(
        _ text: String, _ read: (String) -> Number?, _ option: String
    ) throws -> Number {
        guard let number = read(text), number > .zero else {
            throw UsageError(message: "\(option) takes a number above zero, not '\(text)'")
        }
        return number
    }

    /// Whether a row is to be run: all are, unless some were named, by the beginning of their names.
    func chooses(_ name: String) -> Bool {
        only.isEmpty || only.contains { name.hasPrefix($0) }
    }
}
