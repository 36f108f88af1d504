import LibC

/// Runs `body` on a thread of its own and returns when that has ended.
package func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let work = Unmanaged.passRetained(ThreadWork(body: body, continuation: continuation))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                // `passRetained` above gave this thread the only reference.
                if let argument { Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        precondition(status == 0, "no thread can be made: error \(status)")
        pthread_detach(thread)
    }
}

private final class ThreadWork: Sendable {
    private let body: @Sendable () -> Void
    private let continuation: CheckedContinuation<Void, Never>

    init(body: @escaping @Sendable () -> Void, continuation: CheckedContinuation<Void, Never>) {
        self.body = body
        self.continuation = continuation
    }

    func run() {
        body()
        continuation.resume()
    }
}
