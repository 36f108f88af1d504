import JSON
import ViewModelProtocol
package import Transport

/// A client whom a server with `--isolate` has let in, as the process is told that serves it.
package struct RelayedClient: Codable, Sendable {
    /// As its stream describes it, for the log.
    let peer: String
    /// The name of the token that it carried, where that has one.
    let principal: String?
    /// The highest number of a view that it was told by an earlier process: numbers aren't used again.
    let lastView: Int
}

/// The process that serves one client of a server with `--isolate`: it gets the connections of that client from the server,
/// and ends with it.
package enum IsolatedServer {
    /// Takes the connections that are passed on standard input. On the control loop, once in a process.
    ///
    /// - Parameters:
    ///   - loop: serves them.
    ///   - didEnd: called once: the server wants the process to end, or has ended itself.
    package static func begin(
        _ core: ServerCore, on control: EventLoop, serving loop: EventLoop, didEnd: @escaping @Sendable () -> Void
    ) throws {
        _ = try DescriptorReceiver(on: control) { message, descriptor in
            guard let client = Self.client(in: message) else { return }
            let parcel = DescriptorParcel(descriptor)
            loop.execute {
                guard let descriptor = parcel.take() else { return }
                core.serve(DescriptorStream(descriptor, peer: client.peer, loop: loop), relayed: client)
            }
        } didEnd: {
            // Behind the connections that came before.
            loop.execute { control.execute { didEnd() } }
        }
    }

    private static func client(in message: [UInt8]) -> RelayedClient? {
        message.withUnsafeBytes { bytes in
            guard let text = try? JSONText(validating: bytes) else { return nil }
            return text.withValue { try? ValueDecoder().decode(RelayedClient.self, from: $0) }
        }
    }
}
