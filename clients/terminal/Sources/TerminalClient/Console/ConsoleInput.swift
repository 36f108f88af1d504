import JSON
import Transport
import ViewModelClient

/// An input of a console. All kinds of input are taken in one order.
enum ConsoleInput: Sendable {
    /// Bytes of standard input.
    case bytes([UInt8])
    case endOfInput
    case signal(Int32)
    case client(ClientNews)
    /// News of the view whose feed has this number.
    case view(feed: Int, ViewNews)
    case progress(JSONText, of: SentMark)
    /// Some time has passed, so that the running command may have to be shown.
    case tick
    /// The continuation of a task that waits for an answer, which has come.
    case resume(@MainActor @Sendable () -> Void)
}

/// The inputs of a console. Any thread may post them; they are taken one by one.
package final class ConsoleInputs: Sendable {
    let stream: AsyncStream<ConsoleInput>
    private let continuation: AsyncStream<ConsoleInput>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func post(_ input: ConsoleInput) {
        continuation.yield(input)
    }

    /// Runs `body` on the main actor, after every input that was posted before.
    package func post(_ body: @escaping @MainActor @Sendable () -> Void) {
        post(.resume(body))
    }

    /// Posts these signals from now on.
    ///
    /// - Parameter secondEnds: whether the second signal ends the process, and isn't posted.
    /// - Returns: the loop that receives the signals.
    func watch(_ signals: [Int32], secondEnds: Bool = false) throws -> EventLoop {
        let loop = try EventLoop(name: "signals")
        try loop.prepare {
            _ = try SignalWatcher(signals, on: loop, secondEnds: secondEnds) { [self] in post(.signal($0)) }
        }
        try loop.start()
        return loop
    }

    /// Waits for an answer. The caller goes on after every input that was posted before the answer came, so that the events of
    /// a handler are taken before the sender of its view event goes on.
    @MainActor package func ask<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
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
