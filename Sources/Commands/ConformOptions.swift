/// The options of `conform`.
struct ConformOptions: CommandOptions {
    /// The names of rules, and of files with rules; empty for all rules.
    var rules: [String] = []
    var driver: [String] = []
    var isList = false
    var isText = false
    /// The number of drivers that run at a time.
    var jobs = 4
    var timeout: Duration?
    /// The number of walks, and the seed of the first.
    var walks = 8
    var seed = 1

    mutating func take(_ argument: String) throws {
        rules.append(argument)
    }

    mutating func take(program: [String]) throws {
        guard !program.isEmpty else { throw UsageError(message: "name the driver's program after '--'") }
        driver = program
    }

    func check() throws {
        guard isList || isText || !driver.isEmpty else {
            throw UsageError(message: "name the driver of your client after '--', or --list or --print the rules")
        }
        guard !isList || driver.isEmpty else { throw UsageError(message: "--list starts no driver") }
        guard !isText || driver.isEmpty else { throw UsageError(message: "--print starts no driver") }
    }

    static func flag(_ option: String) -> ((inout ConformOptions) -> Void)? {
        switch option {
        case "--list": { $0.isList = true }
        case "--print": { $0.isText = true }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout ConformOptions, String) throws -> Void)? {
        switch option {
        case "--timeout": { $0.timeout = try Duration(seconds: $1) }
        case "--jobs": { $0.jobs = try number($1, in: 1...64) }
        case "--walks": { $0.walks = try number($1, in: 0...100_000) }
        case "--seed": { $0.seed = try number($1, in: 0...1_000_000_000) }
        default: nil
        }
    }

    private static func number(_ text: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(message: "takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return number
    }

    static func help(name: String) -> String {
        """
        Plays the rules for clients against a client, and says which it breaks, with the lines.

        Usage: \(name) conform [RULE|FILE…] [options] -- DRIVER…
               \(name) conform [RULE|FILE…] --list | --print

        DRIVER is a program with your client in it, which does what its commands say: 'help testing-clients'
        has them. It is started for each rule, with one more argument, the address that its commands come
        from. The server that it is told to connect to is made up. RULE is a rule's name; none: all of
        them. FILE has rules of your own (a FILE ends in .jsonl).

        Options:
          --list              prints the rules' names and what they say, and starts nothing
          --print             prints the lines of the rules, of which you can make your own, and starts nothing
          --jobs N            plays so many rules at a time (4)
          --walks N           also walks at random through what can happen to a list, so many times (8)
          --seed N            the number of the first walk (1): the same number does the same to the list
          --timeout SECONDS   how long each line of a rule is waited for (20); with less, clients can't
                              keep silence and store-told
          --help              prints this

        Status: 0 when the client keeps all rules, 1 when it breaks one or none could be played, 64 for a
        wrong option or a FILE that has no rules, 126 or 127 when the driver can't be started.
        """
    }
}
