import Sessions
package import Transport

/// The process that has the sessions of one client of a server with `--isolate`. It gets a link from the server, and ends
/// with that link.
package enum IsolatedServer {
    /// Makes the end of the link in this process, which `begin` connects.
    ///
    /// - Parameters:
    ///   - loop: the loop that serves the client.
    ///   - journal: reaches the server's store over the link; nil where nothing is stored.
    package static func links(on loop: EventLoop, journal: ProcessJournal?) -> ServerLinks {
        ServerLinks(token: Isolation.token, loops: [loop], settings: .ofProcess, journal: journal) { _, then in
            then(nil)
        }
    }

    /// Begins to wait for the link, which the server passes on standard input. Called on the control loop, once in a process.
    ///
    /// - Parameters:
    ///   - core: the server whose links were made by `links(on:journal:)`.
    ///   - loop: the loop that serves the client.
    ///   - didEnd: called once, when the server wants the process to end or has ended itself.
    ///   - output: reports a crash of the process.
    /// - Returns: a function that reports the last figures to the server. It must be called while the control loop runs.
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
            // Runs behind all that the server has sent before.
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
