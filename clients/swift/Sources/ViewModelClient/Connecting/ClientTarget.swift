package import Transport

/// The server that a client talks to.
package enum ClientTarget: Sendable {
    /// Started by the client, on its standard input and output: a path or a name to look for in `PATH`, then the arguments.
    case program([String])
    case tcp(host: String, port: UInt16)
    /// A Unix socket's path.
    case unix(String)
    /// Whatever else gives streams of the client's loop that aren't started; called there.
    case streams(String, @Sendable (EventLoop) throws -> any ByteStream)

    /// A server that was started for one connection is gone with it.
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
