import JSONRPC
import Serving

/// The options of `replay`.
struct ReplayOptions: CommandOptions {
    /// The paths of transcripts, and of folders that contain transcripts.
    var paths: [String] = []
    /// The address of a running server to replay against.
    var target: SocketTarget?
    /// The command line of a server to start and replay against.
    var program: [String]?
    var isPaced = false
    var isUpdating = false
    /// Whether to report which methods, events and errors the transcripts cover, instead of replaying them. No server is
    /// started.
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

    static func help(name: String, _ own: OwnOptions) -> String {
        """
        Sends the client's side of recorded conversations to a server, and compares what comes back.

        Usage: \(name) replay FILE|FOLDER… [options]
               \(name) replay FILE|FOLDER… [options] --to HOST:PORT|PATH
               \(name) replay FILE|FOLDER… [options] -- COMMAND…
               \(name) replay FILE|FOLDER… --coverage

        The server is this executable's own, inside this process; or one that listens on a port or a Unix
        socket (a PATH has a slash); or COMMAND, which is started for each file and talked to over its
        standard input and output. Of a FOLDER, the files that end in .jsonl are replayed.

        Options:
          --update              rewrites the files, so that they expect what the server sends; matchers
                                that still match are kept
          --pace                sends each line at its time, instead of as fast as the answers allow
          --timeout SECONDS     fails when nothing comes for so long while something is expected (10)
          --framing FRAMING     headers or lines (headers)
          --token-file PATH     the file of the token to send where one was taken out of a transcript
                                (or set \(Token.variable)); for a server in this process also
                                a file with lines NAME TOKEN, for transcripts of several people
          --coverage            replays nothing: prints which methods, notifications, error codes and kinds
                                of events of this executable's server occur in the transcripts, and which don't
          --help                prints this

        \(own.help(name))Inside this process keys are "key-1", "key-2", …, and the time of the server and of its view models
        is the transcript's: a line with "at":180000 lets three minutes pass without waiting.

        Status: 0 when every transcript passed, 1 when one didn't, 64 for a wrong option, 69 when there is
        no such HOST. With --coverage 0 whatever it finds, 1 when a transcript can't be read.
        """
    }
}
