import Hosting

/// The options of `mock`.
struct MockOptions: CommandOptions {
    var path = ""
    var usesStdio = false
    var tcp: TCPAddress?
    var unix: String?
    var isPaced = false
    /// The longest wait for the client; nil for no limit, since a person may be using the client.
    var timeout: Duration?

    mutating func take(_ argument: String) throws {
        guard path.isEmpty else { throw UsageError(message: "mock plays one transcript; '\(argument)' is too many") }
        path = argument
    }

    func check() throws {
        guard !path.isEmpty else { throw UsageError(message: "name the transcript to play") }
        guard [usesStdio, tcp != nil, unix != nil].count(where: { $0 }) <= 1 else {
            throw UsageError(message: "--stdio, --tcp and --unix go one at a time")
        }
    }

    static func flag(_ option: String) -> ((inout MockOptions) -> Void)? {
        switch option {
        case "--stdio": { $0.usesStdio = true }
        case "--pace": { $0.isPaced = true }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout MockOptions, String) throws -> Void)? {
        switch option {
        case "--tcp": { $0.tcp = try TCPAddress($1) }
        case "--unix": { $0.unix = $1 }
        case "--timeout": { $0.timeout = try Duration(seconds: $1) }
        default: nil
        }
    }

    static func help(name: String) -> String {
        """
        Plays the server's side of a recorded conversation to a client under test, and checks what the client
        sends.

        Usage: \(name) mock FILE [options]

        Where the client reaches it:
          --stdio               standard input and output, as when an editor spawns it; the default
          --tcp [HOST:]PORT     TCP; on 127.0.0.1 unless HOST is given; port 0 takes a free one
          --unix PATH           a Unix socket, which only this user may connect to
        On a socket, the connections of the client are those of the transcript, in order.

        Options:
          --pace                sends each line at its time, instead of at once
          --timeout SECONDS     fails when the client sends nothing for so long while something is expected;
                                there is no limit unless it is given
          --help                prints this

        A request that isn't expected is answered with an error, and a report of what was expected instead
        is written to standard error.

        Status: 0 when the client has sent everything and is gone, 1 when it has sent something else or the
        transcript is invalid, 64 for a wrong option, 69 when it can't listen; 128 and the signal's number
        when a signal ended it before the client had sent everything.
        """
    }
}
