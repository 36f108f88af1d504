package import Transport

/// The server that a client talks to.
package enum ClientTarget: Sendable {
    /// A program that the client starts and talks to on standard input and output: its path, or its name to look for in `PATH`,
    /// then the arguments.
    case program([String])
    case tcp(host: String, port: UInt16)
    /// The path of a Unix socket.
    case unix(String)
    /// A server that is reached in another way, with its name for people. The function is called on the client's loop for each
    /// attempt, and must return a stream on that loop that isn't started.
    case streams(String, @Sendable (EventLoop) throws -> any ByteStream)

    /// Whether the server outlives a connection. A program that the client started doesn't.
    var isLasting: Bool {
        if case .program = self { false } else { true }
    }

    /// The server's name for people.
    package var description: String {
        switch self {
        case .program(let command): command.first ?? "nothing"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        case .streams(let name, _): name
        }
    }
}

/// The options of a client.
package struct ClientOptions: Sendable {
    /// The client's own name and version, for the server.
    package var name = "view-model-client"
    package var version: String?
    /// The token that the server demands; nil if it demands none.
    package var token: String?
    /// Whether views are told who else has a view of their session.
    package var asksWhoIsHere = false
    package var backoff = Backoff()
    /// The clock for the backoff and the patience.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// How long to wait for the server to answer `initialize`, and at most 5 s of it for the answer to `shutdown`.
    package var patience = Duration.seconds(30)
    /// Called with all messages about the connection on the client's loop, in order. Must not block.
    package var receive: @Sendable (ClientNews) -> Void = { _ in }

    package init() {}
}

/// The time between two attempts to connect: twice as long after each, up to a limit.
package struct Backoff: Sendable, Equatable {
    package var first: Duration
    package var longest: Duration

    package init(first: Duration = .milliseconds(100), longest: Duration = .seconds(5)) {
        self.first = first
        self.longest = longest
    }

    /// Returns the time before an attempt.
    ///
    /// - Parameter attempt: the attempt's number, from 0.
    package func delay(_ attempt: Int) -> Duration {
        var delay = first
        for _ in 0..<attempt {
            guard delay < longest else { break }
            delay *= 2
        }
        return min(delay, longest)
    }
}

/// A message about a client's connection; those about its views are `ViewNews`.
package enum ClientNews: Sendable, Equatable {
    case state(RemoteState)
    /// The server's `window/logMessage`: the Language Server Protocol's type, 1 for an error, and the message.
    case log(type: Int, String)
    /// A message of the server had no effect, for the reason in these words.
    case ignored(String)
}
