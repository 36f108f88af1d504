import Hosting
import Serving
import Sessions
import ViewModels

/// The arguments of the server itself.
struct ServeOptions: CommandOptions, Equatable {
    var usesStdio = false
    var tcp: [TCPAddress] = []
    var unix: [String] = []
    /// The path of a Unix socket on which the client listens.
    var pipe: String?
    /// A port on loopback on which the client listens.
    var socket: UInt16?
    var clientProcessID: Int?
    var logLevel = ServerLog.Level.warning
    var tokenFile: String?
    /// Whether to make a token for this run.
    var makesToken = false
    /// The limits that were set, in the order of the arguments.
    var limits: [Limit] = []
    /// Whether each client's sessions are in a process of their own.
    var isolates = false
    /// The client whose process this is, started by a server with `--isolate`.
    var isolatedClient: String?
    /// Whether `/metrics` needs no token.
    var opensMetrics = false
    var store = StoreOptions()
    /// The folder for transcripts of all conversations.
    var record: String?
    var redacts = false
    /// A folder with the contracts of the view models.
    var schemas: String?
    /// Whether the web page is served on TCP ports.
    var hasWeb = true
    /// A folder with views of the user's own for the web page.
    var views: String?
    /// A file with the state of the build, which `dev` writes for the web page.
    var buildState: String?
    /// Origins, as browsers write them, whose pages may connect by WebSocket.
    var allowedOrigins: [String] = []
    var showsHelp = false
    var showsVersion = false

    struct Limit: Equatable {
        let name: String
        let value: String

        /// Reads a limit and its value.
        ///
        /// - Parameter text: `NAME=VALUE`.
        /// - Throws: `UsageError` for a limit that doesn't exist, or a value that it can't have.
        init(_ text: String) throws {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw UsageError(message: "takes NAME=VALUE, not '\(text)'") }
            (name, value) = (parts[0], parts[1])
            var limits = Limits()
            try set(in: &limits)
        }

        func set(in limits: inout Limits) throws {
            do throws(Limits.Mistake) {
                try limits.set(name, to: value)
            } catch {
                throw UsageError(message: error.reason)
            }
        }
    }

    /// Whether the arguments name a transport.
    var namesTransport: Bool { namesOneClient || !tcp.isEmpty || !unix.isEmpty }

    /// Whether the arguments name the transport of a single client, which has the process to itself.
    var namesOneClient: Bool { usesStdio || pipe != nil || socket != nil }

    mutating func take(_ argument: String) throws {
        throw UsageError(message: "unknown command '\(argument)'")
    }

    func check() throws {
        guard !makesToken || tokenFile == nil else {
            throw UsageError(message: "--token auto makes a token, so --token-file can't name another")
        }
        guard !makesToken || !namesOneClient else {
            throw UsageError(
                message: "--token auto goes with --tcp and --unix: a client that spawned the server needs none")
        }
        try store.check()
        guard !redacts || record != nil else { throw UsageError(message: "--redact goes with --record") }
        guard views == nil || (hasWeb && !(namesTransport && tcp.isEmpty)) else {
            throw UsageError(message: "--views goes with --tcp, and with the web page")
        }
        guard !isolates || store.advertised == nil else {
            throw UsageError(
                message:
                    "--advertise goes with servers without --isolate: no other server's clients are let into processes")
        }
        guard !isolates || !namesOneClient else {
            throw UsageError(
                message:
                    "--isolate goes with --tcp and --unix: over --stdio, --pipe and --socket the process is one client's"
            )
        }
        let listens = !tcp.isEmpty || !unix.isEmpty
        let single = [usesStdio, pipe != nil, socket != nil].count { $0 }
        if single > 1 || (single == 1 && listens) {
            throw UsageError(
                message: "--stdio, --pipe and --socket each serve one client and go with no other transport")
        }
    }

    static func flag(_ option: String) -> ((inout ServeOptions) -> Void)? {
        switch option {
        case "--stdio": { $0.usesStdio = true }
        case "--redact": { $0.redacts = true }
        case "--isolate": { $0.isolates = true }
        case "--no-web": { $0.hasWeb = false }
        case "--take-over": { $0.store.takesOver = true }
        case "--open-metrics": { $0.opensMetrics = true }
        case "--help", "-h": { $0.showsHelp = true }
        case "--version": { $0.showsVersion = true }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout ServeOptions, String) throws -> Void)? {
        switch option {
        case "--tcp": { $0.tcp.append(try TCPAddress($1)) }
        case "--unix": { $0.unix.append($1) }
        case "--pipe": { $0.pipe = $1 }
        case "--socket": { $0.socket = try TCPAddress.port($1) }
        case "--clientProcessId": { $0.clientProcessID = try processID($1) }
        case "--allow-origin": { $0.allowedOrigins.append(try origin($1)) }
        case "--log-level": { $0.logLevel = try ServerLog.Level(option: $1) }
        case "--token-file": { $0.tokenFile = $1 }
        case "--token": { $0.makesToken = try isAuto($1) }
        case "--limit": { $0.limits.append(try Limit($1)) }
        case "--store": { try $0.store.setStore($1) }
        case "--store-password-file": { $0.store.passwordFile = $1 }
        case "--sync": { try $0.store.setDurability($1) }
        case "--advertise": { $0.store.advertised = try Self.advertised($1) }
        case "--lease": { $0.store.lease = try Duration(seconds: $1) }
        case "--record": { $0.record = $1 }
        case isolatedOption: { $0.isolatedClient = $1 }
        case "--schemas": { $0.schemas = $1 }
        case "--views": { $0.views = $1 }
        case "--build-state": { $0.buildState = $1 }
        default: nil
        }
    }

    /// Returns the address at which other servers reach this one.
    ///
    /// - Throws: `UsageError` for an address to which others couldn't connect.
    private static func advertised(_ text: String) throws -> String {
        let colon = text.lastIndex(of: ":") ?? text.startIndex
        let host = text[..<colon]
        guard !host.isEmpty, let port = UInt16(text[colon...].dropFirst()), port > 0,
            !text.contains(where: \.isWhitespace), !host.contains(":") || host.hasPrefix("[")
        else { throw UsageError(message: "takes HOST:PORT or [IPv6]:PORT, not '\(text)'") }
        return text
    }

    /// The option that begins the arguments of a process started by a server with `--isolate`. Not for people, and in no help.
    static var isolatedOption: String { "--isolated" }

    /// Returns an origin whose pages may connect.
    ///
    /// - Throws: `UsageError` for an origin that no browser sends.
    private static func origin(_ text: String) throws -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isOrigin = parts.count == 3 && parts[0].hasSuffix(":") && parts[1].isEmpty && !parts[2].isEmpty
        guard isOrigin || text == "*" || text == "null" else {
            throw UsageError(message: "takes an origin such as https://views.example, not '\(text)'")
        }
        return text
    }

    /// Whether a token is to be made, which takes the value "auto".
    ///
    /// - Throws: `UsageError` for any other value, which may be a token itself.
    private static func isAuto(_ text: String) throws -> Bool {
        guard text == "auto" else {
            let advice = "a token of your own goes into a file for --token-file, or into \(Token.variable)"
            throw UsageError(message: "takes auto: every user of the machine can read arguments; \(advice)")
        }
        return true
    }

    private static func processID(_ text: String) throws -> Int {
        guard let id = Int(text), id > 0 else { throw UsageError(message: "takes a process's number, not '\(text)'") }
        return id
    }

    static func help(name: String, _ own: OwnOptions) -> String {
        """
        Hosts view models for remote Views, over JSON-RPC 2.0.

        Usage: \(name) [options]
               \(name) COMMAND [arguments]

        Where clients reach it:
          --stdio               standard input and output, as an editor spawns it
          --tcp [HOST:]PORT     TCP; on 127.0.0.1 unless HOST is given; port 0 takes a free one;
                                the same port has WebSocket and the web page
          --unix PATH           a Unix socket, which only this user may connect to
          --pipe PATH           connects to a Unix socket on which the client listens
          --socket PORT         connects to a port of 127.0.0.1 on which the client listens
        --tcp and --unix may be given together and more than once. With none of these it serves
        \(TCPAddress.fallback) when started from a terminal, and standard input and output otherwise.

        \(own.help(name))Options:
          --token-file PATH     clients must carry the token in this file (or in \(Token.variable)),
                                or one of its lines NAME TOKEN, by which view models know who asks;
                                needed for --tcp with an address other than loopback
          --token auto          makes a token for this run, and prints the web page's address with it;
                                for a machine that other users can log in to, who can all connect to loopback
          --open-metrics        /metrics needs no token
          --isolate             each client's sessions are in a process of its own, so that a view model that
                                traps ends no other client's; by principal, or else by the client's name
          --limit NAME=VALUE    sets a limit, as listed in the protocol's reference: a number, bytes also as
                                64KiB or 1MiB, a time in seconds; more than once
          --store sqlite:PATH   keeps the sessions of durable view models in this file
          --store ADDRESS       keeps them in Redis or Valkey: redis://[USER:PASSWORD@]HOST[:PORT][/DB], or
                                unix://[USER:PASSWORD@]/PATH[?db=DB]
          --store-password-file PATH
                                the password of Redis (or in \(StoreOptions.passwordVariable)):
                                arguments can be read by every user of the machine
          --sync process|power  what is stored in a file survives the end of the process (process), or the loss
                                of power, too
          --take-over           takes the file from a server that still has it
          --advertise HOST:PORT where servers that share a Redis reach this one, by its --tcp port: for clients that
                                come to one of them and whose session is on another
          --lease SECONDS       servers that share a Redis have the sessions of one that was lost after so long (10)
          --record DIR          writes a transcript of each connection to a file in DIR
          --redact              takes tokens and session keys out of it
          --schemas DIR         viewModel/describe answers with the schemas in DIR, which have descriptions;
                                they must agree with the code
          --views DIR           the web page has the views of DIR/views.js for your view models
          --no-web              serves no web page on TCP; WebSocket stays
          --allow-origin ORIGIN pages from there may connect by WebSocket, as those of the server itself may;
                                more than once; * for all
          --log-level LEVEL     error, warning, info or debug; to standard error (warning)
          --build-state PATH    the web page shows the build whose state 'dev' writes to this file
          --clientProcessId N   ends when this process does
          --version             prints the version
          --help                prints this

        Commands, each with a --help of its own:
        \(Command.list)

        Status: 0 after an orderly end, 1 when a client's connection over stdio ended without shutdown or the
        server can't start, 64 for a wrong option, 69 when it can't listen or connect or get at its store,
        74 when the system failed over stdio and answers may be lost.
        """
    }
}
