import JSON
import ViewModelProtocol
package import Transport

/// A client whom a server has let in, as the process is told that serves it: with `--isolate`, or since it has the session.
package struct RelayedClient: Codable, Sendable {
    /// As its stream describes it, for the log.
    let peer: String
    /// The name of the token that it carried, where that has one.
    let principal: String?
    /// The highest number of a view that it was told by an earlier process: numbers aren't used again.
    let lastView: Int
    /// Who counts for its sessions; nil where it hasn't initialized, as with `--isolate`.
    var owner: String? = nil

    init(peer: String, principal: String?, lastView: Int, owner: String? = nil) {
        (self.peer, self.principal, self.lastView, self.owner) = (peer, principal, lastView, owner)
    }

    /// Nil where this isn't the JSON text of one.
    init?(_ text: [UInt8]) {
        let client = text.withUnsafeBytes { bytes -> RelayedClient? in
            guard let text = try? JSONText(validating: bytes) else { return nil }
            return text.withValue { try? ValueDecoder().decode(RelayedClient.self, from: $0) }
        }
        guard let client else { return nil }
        self = client
    }
}

/// The process that serves one client of a server with `--isolate`: it gets the connections of that client from the server,
/// and ends with it.
package enum IsolatedServer {
    /// Takes the connections that are passed on standard input. On the control loop, once in a process.
    ///
    /// - Parameters:
    ///   - loop: serves them.
    ///   - didEnd: called once: the server wants the process to end, or has ended itself.
    /// - Returns: reports the last figures to the server. To be called while the control loop runs.
    package static func begin(
        _ core: ServerCore, on control: EventLoop, serving loop: EventLoop, didEnd: @escaping @Sendable () -> Void
    ) throws -> @Sendable () async -> Void {
        let receiver = try DescriptorReceiver(on: control) { message, descriptor in
            guard let client = RelayedClient(message) else { return }
            let parcel = DescriptorParcel(descriptor)
            loop.execute {
                guard let descriptor = parcel.take() else { return }
                core.serve(DescriptorStream(descriptor, peer: client.peer, loop: loop), relayed: client)
            }
        } didEnd: {
            // Behind the connections that came before.
            loop.execute { control.execute { didEnd() } }
        }
        let reports = ProcessReports(core, by: receiver, on: control)
        reports.begin()
        let bound = LoopBound(reports, loop: control)
        return {
            await withCheckedContinuation { continuation in
                control.execute {
                    bound.value.report()
                    continuation.resume()
                }
            }
        }
    }
}
