package import Transport

/// The server that a client talks to.
package enum ClientTarget: Sendable {
    /// Started by the client, on its standard input and output: a path or a name to look for in `PATH`, then the
    /// arguments.
    case program([String])
    case tcp(host: String, port: UInt16)
    /// A Unix socket's path.
    case unix(String)
    /// Anything else with a name for people. The function is called on the client's loop for each attempt, and returns
    /// a stream of that loop, not started.
    case streams(String, @Sendable (EventLoop) throws -> any ByteStream)

    /// Whether the server outlives a connection. One that was started for a connection is gone with it.
    var isLasting: Bool {
        if case .program = self { false } else { true }
    }

    /// For people.
    package var description: String {
        switch self {
        case .program(let command): command.first ?? "nothing"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        case .streams(let name, _): name
        }
    }
}

/// How a client behaves.
package struct ClientOptions: Sendable {
    /// The client's own name and version, for the server.
    package var name = "view-model-client"
    package var version: String?
    /// The server's secret, where it has one.
    package var token: String?
    package var backoff = Backoff()
    /// Measures the backoff and the patience.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// The time that a server may take to answer `initialize`, and to end a connection that is closed.
    package var patience = Duration.seconds(30)
    /// Called on the client's loop, in order; must not block.
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

    /// - Parameter attempt: counts from 0.
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
    /// Something that came had no effect, in words.
    case ignored(String)
}
