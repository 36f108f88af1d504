import Synchronization

extension Recording {
    /// As `finish`, and waits for it; but when the disk takes no more for as long as a grace, no longer than that.
    package func close(within grace: Duration) async -> TranscriptError? {
        await withCheckedContinuation { continuation in
            let once = Once(continuation)
            let timer = Task { await expire(after: grace, once) }
            finish { failure in
                timer.cancel()
                once.resume(returning: failure)
            }
        }
    }

    private func expire(after grace: Duration, _ once: Once) async {
        var waited: Int?
        while waited != waitingBytes {
            waited = waitingBytes
            // Cancelled, it has nothing to say.
            guard (try? await clock.sleep(for: grace)) != nil else { return }
        }
        let reason = "the end is missing: of the last \(waitingBytes) bytes nothing could be written for \(grace)"
        let failure = TranscriptError(path: path, reason: reason)
        stop(failure)
        once.resume(returning: failure)
    }
}

/// The first of two outcomes.
private final class Once: Sendable {
    private let continuation: Mutex<CheckedContinuation<TranscriptError?, Never>?>

    init(_ continuation: CheckedContinuation<TranscriptError?, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(returning failure: TranscriptError?) {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(returning: failure)
    }
}
