import LibC
package import Transport

/// Builds a server, runs it, and builds and runs it anew when the sources have changed. Each server gets the same listening
/// socket, so that clients wait for the next one and aren't refused.
///
/// Confined to its loop. Retained while something runs.
package final class DevSupervisor {
    /// The commands to build and to run, and time limits.
    package struct Settings: Sendable {
        /// The program that builds, and its arguments.
        let build: [String]
        /// The executable that is built, and the arguments to run it with.
        let server: [String]
        /// The file for the state of the build.
        let stateFile: String
        /// The time without a change after which a build begins, so that changes in quick succession are one.
        let settling: Duration = .milliseconds(100)
        /// The time that a server or a build may take to end.
        let grace: Duration = .seconds(15)

        package init(build: [String], server: [String], stateFile: String) {
            self.build = build
            self.server = server
            self.stateFile = stateFile
        }
    }

    private let settings: Settings
    private let socket: ListeningSocket
    private let loop: EventLoop
    private let say: (String) -> Void
    private let didEnd: () -> Void
    private var rules = DevRules()
    private var settling: LoopTimer?
    private var build: BuildRun?
    private var server: ChildProcess?
    private var serverGrace: LoopTimer?

    /// Makes a supervisor.
    ///
    /// - Parameters:
    ///   - say: takes a line for the terminal.
    ///   - didEnd: called once, after `end()`, when nothing runs any more.
    package init(
        _ settings: Settings, socket: consuming ListeningSocket, on loop: EventLoop, say: @escaping (String) -> Void,
        didEnd: @escaping () -> Void
    ) {
        self.settings = settings
        self.socket = socket
        self.loop = loop
        self.say = say
        self.didEnd = didEnd
    }

    /// Begins to build and serve. Must be called once.
    package func begin() {
        obey(rules.sourcesDidChange())
    }

    /// Schedules a build. It begins once there has been no other change for a moment.
    package func sourcesDidChange() {
        settling?.cancel()
        let bound = LoopBound(self, loop: loop)
        settling = loop.schedule(after: settings.settling) { bound.value.sourcesDidSettle() }
    }

    private func sourcesDidSettle() {
        settling = nil
        obey(rules.sourcesDidChange())
    }

    /// Ends everything that runs in an orderly way. A second call kills it.
    package func end() {
        settling?.cancel()
        guard rules.isEnding else { return obey(rules.end()) }
        kill()
    }

    private func obey(_ actions: [DevRules.Action]) {
        for action in actions {
            switch action {
            case .build: startBuild()
            case .cancelBuild: build?.cancel()
            case .startServer: startServer()
            case .stopServer: stopServer()
            case .end: didEnd()
            }
        }
    }

    private func kill() {
        build?.kill()
        server?.signal(SIGKILL)
    }

    // The build.

    private func startBuild() {
        say("building…")
        write(BuildState(kind: .building))
        do throws(SystemError) {
            build = try BuildRun(settings.build, on: loop, grace: settings.grace, say: say) { [self] in buildDidEnd($0)
            }
        } catch {
            buildDidEnd(BuildRun.Outcome(isGood: false, lines: ["\(error)"], duration: .zero))
        }
    }

    private func buildDidEnd(_ outcome: BuildRun.Outcome) {
        build = nil
        let actions = rules.buildDidEnd(
            isGood: outcome.isGood, hasExecutable: settings.server.first.map(TextFile.isFile) ?? false)
        if rules.isBuilding {
            say("the sources changed meanwhile")
        } else if !rules.isEnding {
            write(BuildState(kind: outcome.isGood ? .built : .failed, lines: outcome.isGood ? [] : outcome.lines))
            say(words(for: outcome, actions))
        }
        obey(actions)
    }

    private func words(for outcome: BuildRun.Outcome, _ actions: [DevRules.Action]) -> String {
        guard outcome.isGood else {
            if actions.contains(.startServer) { return "the build failed; the code of an earlier one is served" }
            let what = rules.isServing ? "the server goes on with the code before" : "nothing is served"
            return "the build failed; \(what)"
        }
        let seconds = Double(outcome.duration / .milliseconds(100)).rounded() / 10
        return "built in \(seconds) s" + (actions.contains(.stopServer) ? ", the server starts anew" : "")
    }

    private func write(_ state: BuildState) {
        do {
            try TextFile.write(state.json, to: settings.stateFile)
        } catch {
            say("\(error), so the page can't show it")
        }
    }

    // The server.

    /// A shell script that starts the server, since the socket is for the process whose number is in LISTEN_PID (see
    /// sd_listen_fds(3)). All that the server prints goes to the terminal.
    private static let starter = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$@\" </dev/null >&2"

    private func startServer() {
        do throws(SystemError) {
            server = try ChildProcess(
                ["/bin/sh", "-c", Self.starter, "sh"] + settings.server, passing: socket.number, on: loop
            ) { [self] in serverDidEnd($0) }
        } catch {
            say("\(error)")
            obey(rules.serverDidEnd())
        }
    }

    private func stopServer() {
        server?.signal(SIGTERM)
        let bound = LoopBound(self, loop: loop)
        serverGrace = loop.schedule(after: settings.grace) {
            bound.value.say("the server doesn't end, and is killed")
            bound.value.server?.signal(SIGKILL)
        }
    }

    private func serverDidEnd(_ ending: ChildProcess.Ending) {
        server?.stream.close()
        server = nil
        serverGrace?.cancel()
        serverGrace = nil
        if rules.isServing { say("the server ended \(ending.words); it is started again after the next change") }
        obey(rules.serverDidEnd())
    }
}
