/// The rules of `dev`: what to do after a change of the sources, the end of a build and the end of the server. A value without
/// I/O, for `DevSupervisor`.
package struct DevRules {
    /// An action for the supervisor.
    package enum Action: Equatable {
        case build
        case cancelBuild
        case startServer
        /// Stop the server in an orderly way, so that it writes what must be stored.
        case stopServer
        /// Call `didEnd`, since nothing runs any more.
        case end
    }

    private enum Build { case none, running, outdated }
    private enum Server { case none, running, stopping }

    private var build = Build.none
    private var server = Server.none
    /// Whether a build succeeded, and the new server waits for the old one to end.
    private var isNewCodeWaiting = false
    private var hasStarted = false
    private(set) var isEnding = false

    package init() {}

    var isBuilding: Bool { build != .none }
    package var isServing: Bool { server == .running }

    /// Returns the actions for a change of the sources, or for the first build.
    package mutating func sourcesDidChange() -> [Action] {
        guard !isEnding else { return [] }
        guard build == .none else {
            build = .outdated
            return []
        }
        build = .running
        return [.build]
    }

    /// Returns the actions for the end of a build.
    ///
    /// - Parameter hasExecutable: whether there is an executable, perhaps from an earlier build.
    package mutating func buildDidEnd(isGood: Bool, hasExecutable: Bool) -> [Action] {
        let isOutdated = build == .outdated
        build = .none
        guard !isEnding else { return endIfOver() }
        if isOutdated {
            build = .running
            return [.build]
        }
        // If the first build fails, the older code is started, to serve the page that shows the failure.
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

    /// Returns the actions for the end of the server. A server that ends by itself is started again by the next change.
    package mutating func serverDidEnd() -> [Action] {
        server = .none
        guard !isEnding else { return endIfOver() }
        return isNewCodeWaiting ? start() : []
    }

    /// Returns the actions that end everything.
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
