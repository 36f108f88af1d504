import JSONRPC
import Serving

/// What the command line asks `replay` for.
struct ReplayOptions: CommandOptions {
    /// Transcripts, or folders of them.
    var paths: [String] = []
    /// A server that runs already.
    var target: SocketTarget?
    /// A server's program to start, with its arguments.
    var program: [String]?
    var isPaced = false
    var isUpdating = false
    /// The transcripts are only read.
    var showsCoverage = false
    var framing = Framing.headers
    var timeout = Duration.seconds(10)
    var tokenFile: String?

    mutating func take(_ argument: String) throws {
        paths.append(argument)
    }

    mutating func take(program: [String]) throws {
        guard !program.isEmpty else { throw UsageError(message: "name the server's program after '--'") }
        self.program = program
    }

    func check() throws {
        guard !paths.isEmpty else { throw UsageError(message: "name a transcript to replay, or a folder of them") }
        let replays = isPaced || isUpdating || target != nil || program != nil
        guard !showsCoverage || !replays else {
            throw UsageError(message: "--coverage only reads transcripts; it goes with no server, --pace or --update")
        }
        guard target == nil || program == nil else {
            throw UsageError(message: "--to names a server that runs already; it goes with no program after '--'")
        }
    }

    static func flag(_ option: String) -> ((inout ReplayOptions) -> Void)? {
        switch option {
        case "--pace": { $0.isPaced = true }
        case "--update": { $0.isUpdating = true }
        case "--coverage": { $0.showsCoverage = true }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout ReplayOptions, String) throws -> Void)? {
        switch option {
        case "--to": { $0.target = try SocketTarget($1) }
        case "--framing": { $0.framing = try Framing(option: $1) }
        case "--timeout": { $0.timeout = try Duration(seconds: $1) }
        case "--token-file": { $0.tokenFile = $1 }
        default: nil
        }
    }

    static func help(name: String) -> String {
        """
        Sends the client's side of recorded conversations to a server, and compares what comes back.

        Usage: \(name) replay FILE|FOLDER… [options]
               \(name) replay FILE|FOLDER… [options] --to HOST:PORT|PATH
               \(name) replay FILE|FOLDER… [options] -- COMMAND…
               \(name) replay FILE|FOLDER… --coverage

        Against this executable's own server, inside this process; or one that listens on a port or a
        Unix socket (a PATH has a slash); or a program that is started for each file and talked to over
        its standard input and output. Of a FOLDER, the files that end in .jsonl.

        Options:
          --update              what the server really sends becomes what is expected: rewrites the files,
                                and keeps the matchers that still match
          --pace                sends each line at its time, instead of as fast as the answers allow
          --timeout SECONDS     how long nothing may come while something is expected (10)
          --framing FRAMING     headers or lines (headers)
          --token-file PATH     stands in for a token that was taken out (so does \(Token.variable))
          --coverage            replays nothing: prints which methods, error codes and kinds of events of this
                                executable's server the transcripts have seen, and which they haven't
          --help                prints this

        Inside this process keys are "key-1", "key-2", … and what the server times, such as how long it
        keeps a session, passes as the transcript says, without waiting.

        Status: 0 when every transcript passed, 1 when one didn't, 64 for a wrong option, 69 when there is
        no such HOST. With --coverage 0 whatever was seen, 1 when a transcript can't be read.
        """
    }
}
