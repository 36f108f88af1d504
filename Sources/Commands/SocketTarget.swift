import Hosting
import Serving
import Transport

/// A server to connect to: `HOST:PORT`, or the path of a Unix socket, which has a slash in it.
enum SocketTarget: Equatable, CustomStringConvertible {
    case tcp(TCPAddress)
    case unix(String)

    init(_ text: String) throws {
        self = text.contains("/") ? .unix(text) : .tcp(try TCPAddress(text))
    }

    /// Looks up the addresses. Blocks while it waits for the network, so it must not run on a loop.
    func resolve() throws(SystemError) -> [SocketAddress] {
        switch self {
        case .tcp(let address): try SocketAddress.resolve(host: address.host, port: address.port)
        case .unix(let path): [try SocketAddress(path: path)]
        }
    }

    var description: String {
        switch self {
        case .tcp(let address): address.description
        case .unix(let path): path
        }
    }
}
