/// What follows from a change of the sources, the end of a build and the end of the server. Values without I/O, for
/// `DevSupervisor`.
package struct DevRules {
    /// What the supervisor is to do.
    package enum Action: Equatable {
        case build
        case cancelBuild
        case startServer
        /// In an orderly way: it writes what it owes.
        case stopServer
        /// Nothing runs any more.
        case end
    }

    private enum Build { case none, running, outdated }
    private enum Server { case none, running, stopping }

    private var build = Build.none
    private var server = Server.none
    /// A build that succeeded waits for the end of the server before it.
    private var isNewCodeWaiting = false
    private var hasStarted = false
    private(set) var isEnding = false

    package init() {}

    var isBuilding: Bool { build != .none }
    package var isServing: Bool { server == .running }

    /// The first build, and each that follows a change.
    package mutating func sourcesDidChange() -> [Action] {
        guard !isEnding else { return [] }
        guard build == .none else {
            build = .outdated
            return []
        }
        build = .running
        return [.build]
    }

    /// - Parameter hasExecutable: there is one, perhaps of an earlier build.
    package mutating func buildDidEnd(isGood: Bool, hasExecutable: Bool) -> [Action] {
        let isOutdated = build == .outdated
        build = .none
        guard !isEnding else { return endIfOver() }
        if isOutdated {
            build = .running
            return [.build]
        }
        // Where the first build fails, the code of before shows the page that says so.
        guard isGood || !hasStarted, hasExecutable else { return [] }
        switch server {
        case .none: return start()
        case .running:
            isNewCodeWaiting = true
            server = .stopping
            return [.stopServer]
        case .stopping:
            isNewCodeWaiting = true
            return []
        }
    }

    /// One that ends by itself is started by the next change.
    package mutating func serverDidEnd() -> [Action] {
        server = .none
        guard !isEnding else { return endIfOver() }
        return isNewCodeWaiting ? start() : []
    }

    /// Ends all.
    package mutating func end() -> [Action] {
        guard !isEnding else { return [] }
        isEnding = true
        var actions: [Action] = []
        if build != .none { actions.append(.cancelBuild) }
        if server == .running {
            server = .stopping
            actions.append(.stopServer)
        }
        return actions + endIfOver()
    }

    private mutating func start() -> [Action] {
        isNewCodeWaiting = false
        hasStarted = true
        server = .running
        return [.startServer]
    }

    private func endIfOver() -> [Action] { build == .none && server == .none ? [.end] : [] }
}
