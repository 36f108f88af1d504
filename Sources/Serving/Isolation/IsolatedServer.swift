package import Transport

/// The process that has the sessions of one client of a server with `--isolate`: it gets a link from the server, and ends with
/// it.
package enum IsolatedServer {
    /// The link, once it is there.
    ///
    /// - Parameter loop: serves the client.
    package static func links(on loop: EventLoop) -> ServerLinks {
        ServerLinks(token: Isolation.token, loops: [loop], settings: .ofProcess) { _, then in then(nil) }
    }

    /// Takes the link, which is passed on standard input. On the control loop, once in a process.
    ///
    /// - Parameters:
    ///   - core: its links are those from above.
    ///   - loop: serves the client.
    ///   - didEnd: called once: the server wants the process to end, or has ended itself.
    /// - Returns: reports the last figures to the server. To be called while the control loop runs.
    package static func begin(
        _ core: ServerCore, on control: EventLoop, serving loop: EventLoop, didEnd: @escaping @Sendable () -> Void
    ) throws -> @Sendable () async -> Void {
        let receiver = try DescriptorReceiver(on: control) { _, descriptor in
            let parcel = DescriptorParcel(descriptor)
            loop.execute {
                guard let descriptor = parcel.take() else { return }
                core.links?.accept(DescriptorStream(descriptor, peer: "the server", loop: loop), core)
            }
        } didEnd: {
            // Behind all that the server has sent before.
            loop.execute {
                core.links?.readAvailable()
                loop.execute { loop.execute { control.execute { didEnd() } } }
            }
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
