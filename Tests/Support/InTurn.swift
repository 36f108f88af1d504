import FoundationEssentials
import Synchronization
package import Testing

/// Lets a few suites run at a time instead of all of them.
///
/// Tests share the few threads of Swift's pool. With two thousand tests begun at once, each `await` of one waits for those of
/// all the others, for minutes in all, and whatever has a time limit runs into it. A suite waits for its turn outside of its
/// tests' time limits. Not for suites within suites: the outer ones might have all turns.
package struct InTurn: SuiteTrait, TestScoping {
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Turns.all.begin()
        defer { Turns.all.end() }
        try await function()
    }
}

extension Trait where Self == InTurn {
    package static var inTurn: Self { InTurn() }
}

/// A few turns, given in the order in which they are asked for.
package final class Turns: Sendable {
    static let all = Turns(2 * max(2, ProcessInfo.processInfo.activeProcessorCount))
    /// Of tests that start programs, which are at work beside this process, and take its tests' time from them.
    package static let programs = Turns(1 + max(2, ProcessInfo.processInfo.activeProcessorCount))

    private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    package init(_ count: Int) {
        state = Mutex((count, []))
    }

    package func begin() async {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if begins { continuation.resume() }
        }
    }

    package func end() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
