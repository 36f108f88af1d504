import Transport

/// Runs `body` with a loop, then ends the loop.
func withLoop<R>(_ name: String = "test", _ body: (EventLoop) async throws -> R) async throws -> R {
    let loop = try EventLoop(name: name)
    try loop.start()
    let result: Result<R, any Error>
    do {
        result = .success(try await body(loop))
    } catch {
        result = .failure(error)
    }
    loop.stop()
    await loop.join()
    return try result.get()
}

extension EventLoop {
    /// Runs `body` on the loop and returns its result.
    @discardableResult
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Result { try body() }) }
        }
    }
}
