import Synchronization

/// The stack of everything that one call of `resolve` makes, since making is synchronous.
///
/// It is how containers notice that things need each other, whichever container each of them asks.
final class Making: Sendable {
    private struct State {
        /// The steps, outermost first.
        var steps: [Step] = []
        /// A step of another thread that this one waits for.
        var awaited: Step?
    }

    /// How many makings may be inside each other: far more than programs need, and far fewer than fill a
    /// thread's stack.
    static let maximumDepth = 100

    @TaskLocal private static var inherited: Making?
    /// Held while a thread decides whether it may wait, so that two can't begin to wait for each other at once.
    private static let decision = Mutex(())

    private let task = Making.currentTask
    private let state = Mutex(State())

    /// Calls `body` as a step of the calling thread's making.
    ///
    /// - Throws: the error of `body`, or `ContainerError` where there are too many steps inside each other.
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

    /// Waits until `step` is done, whether it has made something or failed.
    ///
    /// - Throws: `ContainerError.cycle` where `step` itself waits for the caller, and so would never be done.
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

    /// Returns the steps of a cycle: from one of this making, through `step` and those that it waits for, back to the first.
    /// Nil where there is no cycle.
    private func cycle(through step: Step) -> [Step]? {
        var path: [Step] = []
        var next = step
        while next.making !== self {
            // A making that waits doesn't change, so that its steps can be read one after the other. If `next` is done by now,
            // its making waits for something else.
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
    /// The making of the calling thread; nil where it makes nothing.
    ///
    /// A task that was begun during a making inherits the value and is no part of it. So the value counts only in the
    /// task that began it, or outside of tasks, and as long as it has steps. Until then that task can't end, so no
    /// other task has its identity.
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

extension Making {
    /// The making of one object.
    final class Step: Sendable {
        let type: any Any.Type
        let making: Making
        private let isDone = Mutex(())

        init(_ type: any Any.Type, of making: Making) {
            self.type = type
            self.making = making
        }

        var name: String { "\(type)" }

        /// Calls `body` once. Until it has returned, `waitUntilDone()` makes other threads wait.
        func holdingOthers<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
            // The one lock that is held while foreign code runs. `Making.wait(for:)` sees to it that it isn't taken
            // again inside, nor by two threads crosswise.
            try isDone.withLock { _ in try body() }
        }

        func waitUntilDone() {
            isDone.withLock { _ in }
        }
    }
}
