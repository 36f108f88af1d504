import JSON
import ViewModelClient

/// What can happen to a console, in one order.
enum ConsoleInput: Sendable {
    /// From standard input.
    case bytes([UInt8])
    case endOfInput
    case signal(Int32)
    case client(ClientNews)
    /// For the view that was asked for with this feed.
    case view(feed: Int, ViewNews)
    case progress(JSONText)
    /// What is shown of the running command may be due.
    case tick
    /// What goes on when something that was asked is answered.
    case resume(@MainActor @Sendable () -> Void)
}

/// Where everything that happens to a console arrives, from any thread, and is taken one by one.
final class ConsoleInputs: Sendable {
    let stream: AsyncStream<ConsoleInput>
    private let continuation: AsyncStream<ConsoleInput>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func post(_ input: ConsoleInput) {
        continuation.yield(input)
    }

    /// Does what waits for an answer. It comes back here behind all that was posted before the answer came: the events that
    /// a handler sent are taken before who sent it the event goes on.
    @MainActor func ask<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                Task { [self] in
                    let result = await task.result
                    post(.resume { waiter.resume(with: result) })
                }
            }
        } onCancel: {
            task.cancel()
        }
    }
}
