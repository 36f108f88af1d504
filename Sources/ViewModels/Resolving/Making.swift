import Synchronization

/// What one call of `resolve` makes, with all that is made for it: a stack, since making is synchronous.
///
/// By it a container knows who needs whom, whichever container they ask: the one that they were given, or one that they
/// captured.
final class Making: Sendable {
    private struct State {
        /// Outermost first.
        var steps: [Step] = []
        /// What another thread makes and this one waits for.
        var awaited: Step?
    }

    /// How many things may be made for each other, one inside the other: far more than programs need, and far less than
    /// fills a thread's stack.
    static let maximumDepth = 100

    @TaskLocal private static var inherited: Making?
    /// Held while a thread decides whether it may wait, so that two can't begin to wait for each other at once.
    private static let decision = Mutex(())

    private let task = Making.currentTask
    private let state = Mutex(State())

    /// Calls `body` as a step of what the calling thread is making.
    static func step<T, Result>(making type: T.Type, _ body: (Step) throws -> Result) throws -> Result {
        if let current { return try current.add(type, body) }
        let making = Making()
        return try $inherited.withValue(making) { try making.add(type, body) }
    }

    private func add<Result>(_ type: any Any.Type, _ body: (Step) throws -> Result) throws -> Result {
        let step = Step(type, of: self)
        let steps = state.withLock { state in
            state.steps.append(step)
            return state.steps
        }
        defer { state.withLock { _ = $0.steps.removeLast() } }
        if steps.count > Making.maximumDepth { throw ContainerError.endless(steps.map(\.type)) }
        return try body(step)
    }

    /// Returns when `step`, which was being made by somebody, has been made or has failed.
    ///
    /// - Throws: `ContainerError.cycle`, where that would never be, as it waits for the caller.
    static func wait(for step: Step) throws(ContainerError) {
        guard let current else { return step.waitUntilDone() }
        try current.beginWaiting(for: step)
        step.waitUntilDone()
        current.state.withLock { $0.awaited = nil }
    }

    private func beginWaiting(for step: Step) throws(ContainerError) {
        try Making.decision.withLock { _ throws(ContainerError) in
            if let cycle = cycle(through: step) { throw .cycle(cycle.map(\.name)) }
            state.withLock { $0.awaited = step }
        }
    }

    /// The way from a step of this making through `step` and whatever that waits for back to it; nil when it leads
    /// elsewhere.
    private func cycle(through step: Step) -> [Step]? {
        var path: [Step] = []
        var next = step
        while next.making !== self {
            // Whoever waits stands still, so what is read of it stays true. Who has made `next` by now waits for other
            // things.
            let (needed, awaited) = next.making.steps(from: next)
            guard !needed.isEmpty, let awaited else { return nil }
            path += needed
            next = awaited
        }
        let own = steps(from: next).needed
        return own.isEmpty ? nil : own + path + [next]
    }

    private func steps(from step: Step) -> (needed: [Step], awaited: Step?) {
        state.withLock { (Array($0.steps.drop { $0 !== step }), $0.awaited) }
    }
}

extension Making {
    /// What the calling thread is making right now.
    ///
    /// A task that was begun during a making inherits the value and is no part of it: the one that makes is told by the
    /// task that it runs in, or by none, and by not having ended. While it lasts, that task can't end, so its name is
    /// its own.
    private static var current: Making? {
        guard let making = inherited, making.task == currentTask, making.state.withLock({ !$0.steps.isEmpty }) else {
            return nil
        }
        return making
    }

    private static var currentTask: Int? {
        withUnsafeCurrentTask { $0?.hashValue }
    }
}
