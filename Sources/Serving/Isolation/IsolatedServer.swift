import Sessions
package import Transport

/// The process that has the sessions of one client of a server with `--isolate`: it gets a link from the server, and ends with
/// it.
package enum IsolatedServer {
    /// The link, once it is there.
    ///
    /// - Parameters:
    ///   - loop: serves the client.
    ///   - journal: gets the server's store over the link; nil where nothing is stored.
    package static func links(on loop: EventLoop, journal: ProcessJournal?) -> ServerLinks {
        ServerLinks(token: Isolation.token, loops: [loop], settings: .ofProcess, journal: journal) { _, then in
            then(nil)
        }
    }

    /// Takes the link, which is passed on standard input. On the control loop, once in a process.
    ///
    /// - Parameters:
    ///   - core: its links are those from above.
    ///   - loop: serves the client.
    ///   - didEnd: called once: the server wants the process to end, or has ended itself.
    ///   - output: says when the process crashes.
    /// - Returns: reports the last figures to the server. To be called while the control loop runs.
    package static func begin(
        _ core: ServerCore, on control: EventLoop, serving loop: EventLoop, output: PrintedOutput?,
        didEnd: @escaping @Sendable () -> Void
    ) throws -> @Sendable () async -> Void {
        core.links?.journal?.whenWanted { [sessions = core.sessions] scene in
            loop.execute { _ = sessions.session(withKey: scene)?.scene?.leaveMemory() }
        }
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
        output?.whenCrashing { [report = receiver.lastReport] note, cause in
            if let crash = LastEvent(note, cause)?.text { report(crash) }
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
