import Synchronization

extension Making {
    /// One thing that is being made.
    final class Step: Sendable {
        let type: any Any.Type
        let making: Making
        private let isDone = Mutex(())

        init(_ type: any Any.Type, of making: Making) {
            self.type = type
            self.making = making
        }

        var name: String { "\(type)" }

        /// Calls `body`, once, and lets `waitUntilDone()` return when that has.
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
