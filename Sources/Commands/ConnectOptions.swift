import Hosting
import Serving
import TerminalClient

/// The arguments of `connect`.
struct ConnectOptions: CommandOptions {
    var target: SocketTarget?
    /// A server's program to start, with its arguments.
    var program: [String]?
    var tokenFile: String?
    /// The options that the terminal client takes.
    private(set) var terminal = TerminalOptions()

    mutating func take(_ argument: String) throws {
        guard target == nil else { throw UsageError(message: "one server at a time; '\(argument)' is another") }
        target = try SocketTarget(argument)
    }

    mutating func take(program: [String]) throws {
        guard !program.isEmpty else { throw UsageError(message: "name the server's program after '--'") }
        self.program = program
    }

    func check() throws {
        guard target == nil || program == nil else {
            throw UsageError(message: "an address names a server that runs already; it goes with no program after '--'")
        }
    }

    static func flag(_ option: String) -> ((inout ConnectOptions) -> Void)? {
        switch option {
        case "--json": { $0.terminal.showsJSON = true }
        case "--no-color": { $0.terminal.hasColour = false }
        case "--no-history": { $0.terminal.keepsHistory = false }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout ConnectOptions, String) throws -> Void)? {
        switch option {
        case "--open": { $0.terminal.lines.append("open \($1)") }
        case "--attach": { $0.terminal.lines.append("attach \($1)") }
        case "--token-file": { $0.tokenFile = $1 }
        case "--reconnect-time": { $0.terminal.reconnectTime = try seconds($1) }
        default: nil
        }
    }

    private static func seconds(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
            throw UsageError(message: "--reconnect-time takes a number of seconds, not '\(text)'")
        }
        return .seconds(seconds)
    }

    static func help(name: String, _ additions: ClientAdditions) -> String {
        """
        Shows view models in a terminal, and sends them what is typed.

        Usage: \(name) connect [HOST:PORT|PATH] [options]
               \(name) connect [options] -- COMMAND…

        A server that listens on a port (\(TCPAddress.fallback) unless another is named) or a Unix socket
        (a PATH has a slash); or a program that is started and talked to over its standard input and
        output.

        Options:
          --open NAME           opens a view model first; 'orders delay=0.2' with arguments
          --attach KEY          shows a session that was left, or that another client has, first
          --json                shows events as JSON, one a line
          --no-color            no colours (so does the variable NO_COLOR)
          --no-history          lines that are typed are neither kept nor brought back
          --token-file PATH     the secret that the server asks for (so does \(Token.variable))
          --reconnect-time SECONDS
                                how long a line of a script waits for a lost connection (60)
          --help                prints this

        What can be typed:
        \(ConsoleWord.helpText(adding: additions.terminalCommands)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n"))

        Lines that were typed are kept in $XDG_STATE_HOME/view-model-server/history, else in
        ~/.local/state/view-model-server/history.

        Where standard input or output is no terminal, lines are read one by one, and each is done, and
        what came of it written, before the next; a line that begins with # is passed over. What the
        client itself has to say goes to standard error. Where the connection is lost while a line is
        done, and can't be made again in time, the script ends there.

        Status: 0 at the end; 1 when a line of a script failed, 64 for a wrong option, 69 when there is no
        server or it is gone for good; 128 and the signal's number when one ended it.
        """
    }
}
