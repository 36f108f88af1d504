import Hosting

/// The options of `record`.
struct RecordOptions: CommandOptions {
    var file = ""
    var title: String?
    var redacts = false
    var overwrites = false
    /// The server's program and its arguments.
    var program: [String] = []
    /// The addresses on which clients connect, and the address of the server.
    var tcp: [TCPAddress] = []
    var unix: [String] = []
    var target: SocketTarget?

    static func flag(_ option: String) -> ((inout RecordOptions) -> Void)? {
        switch option {
        case "--redact": { $0.redacts = true }
        case "--overwrite": { $0.overwrites = true }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout RecordOptions, String) throws -> Void)? {
        switch option {
        case "--title": { $0.title = $1 }
        case "--tcp": { $0.tcp.append(try TCPAddress($1)) }
        case "--unix": { $0.unix.append($1) }
        case "--to": { $0.target = try SocketTarget($1) }
        default: nil
        }
    }

    mutating func take(_ argument: String) throws {
        guard file.isEmpty else { throw UsageError(message: "one file is recorded to; '\(argument)' is another") }
        guard argument != "-" else { throw UsageError(message: "standard output belongs to the client; name a file") }
        file = argument
    }

    mutating func take(program: [String]) throws {
        guard !program.isEmpty else { throw UsageError(message: "a program to start must follow '--'") }
        self.program = program
    }

    func check() throws {
        guard !file.isEmpty else { throw UsageError(message: "record needs a file to write the transcript to") }
        let listens = !tcp.isEmpty || !unix.isEmpty
        guard program.isEmpty else {
            guard !listens, target == nil else {
                throw UsageError(message: "the server is a program after '--' or an address with --to, not both")
            }
            return
        }
        guard listens, target != nil else {
            throw UsageError(message: "record needs '-- COMMAND…', or --tcp or --unix together with --to")
        }
    }

    /// The title that was given, or the file's name without its extension.
    var titleOrName: String {
        title ?? String(file.split(separator: "/").last?.split(separator: ".").first ?? "")
    }

    static func help(name: String) -> String {
        """
        Records the conversation of a client and a server, whatever they are written in.

        Usage: \(name) record FILE [options] -- COMMAND [arguments]
               \(name) record FILE [options] --tcp [HOST:]PORT --to HOST:PORT

        The first form starts COMMAND, as an editor would, and stands between it and the client on
        standard input and output. The second form listens, and connects each client to the server.
        Bytes are passed on unchanged and at once. Whatever happens to FILE, the conversation goes on.

        Options:
          --title TEXT          the title of the transcript (the file's name)
          --redact              takes out tokens, session keys and everything that isn't JSON
          --overwrite           overwrites FILE if it exists, which is an error otherwise
          --tcp [HOST:]PORT     listens there; on 127.0.0.1 unless HOST is given
          --unix PATH           listens on a Unix socket, which only this user may connect to
          --to HOST:PORT        the server; a PATH with a slash in it is a Unix socket
        --tcp and --unix may be given together and more than once; everything is recorded to FILE.

        SIGTERM, SIGINT and SIGHUP are passed on to COMMAND, whose last words are recorded; with --to
        they end the recording.

        Status: that of COMMAND, or 128 and the signal's number when a signal ended it; 127 when there
        is no such program, 126 when it can't be run; with --to, 0 after a signal. 64 for a wrong
        option, 69 when it can't listen, 73 when FILE can't be created, 74 when everything else went
        well but FILE is incomplete.
        """
    }
}
