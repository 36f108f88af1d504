import Synchronization

/// A client's request for rows of a list.
package struct RowsRequest: Sendable {
    /// Rows of the list as they are at one number of the session.
    package struct Part: Sendable {
        /// The session's newest number where the rows were read.
        package let seq: Int
        /// How many rows the list has.
        package let count: Int
        /// The index of the first row that was read; the list's count where the list ends before it.
        package let first: Int
        /// The JSON text of an array of the rows.
        package let rows: [UInt8]
    }

    package typealias Place = @Sendable (Result<Part, any Error>) -> Void

    package let list: String
    /// The indices of the rows, which may be beyond the end of the list.
    package let range: Range<Int>

    /// - Parameters:
    ///   - first: not negative.
    ///   - count: not negative.
    package init(list: String, first: Int, count: Int) {
        self.list = list
        let (end, overflows) = first.addingReportingOverflow(count)
        range = first..<(overflows ? .max : end)
    }
}

/// The reading of rows for a client, which can be cancelled.
package final class RowsReading: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let isCancelled = Atomic(false)

    package init() {}

    /// Gives up making the rows. They may still be delivered.
    package func cancel() {
        isCancelled.store(true, ordering: .sequentiallyConsistent)
        task.withLock { $0 }?.cancel()
    }

    fileprivate var hasBeenCancelled: Bool { isCancelled.load(ordering: .sequentiallyConsistent) }

    fileprivate func begin(_ task: Task<Void, Never>) {
        self.task.withLock { $0 = task }
        if hasBeenCancelled { task.cancel() }
    }
}

/// Reads rows of a session's lists. It takes no part in the order of handlers, and waits for none.
package struct RowsReader {
    private let session: Session

    package init(_ session: Session) {
        self.session = session
    }

    /// Reads rows, once the view model is there.
    ///
    /// - Parameter complete: called once, on any thread, when everything up to the rows' number is stored: with the rows,
    ///   `SessionError`, `CancellationError`, or the error of the view model's function that makes them.
    package func read(_ request: RowsRequest, by reading: RowsReading, complete: @escaping RowsRequest.Place) {
        // At once, unless the view model is still being made.
        _ = session.open(
            ready: { begin(reading, request, complete) }, failed: { _ in complete(.failure(SessionError.ended)) },
            started: {})
    }

    private func begin(_ reading: RowsReading, _ request: RowsRequest, _ complete: @escaping RowsRequest.Place) {
        let fail = { @Sendable (error: any Error) in
            guard session.hasEnded else { return complete(.failure(error)) }
            StoredEnd(of: session).whenTold { complete(.failure($0.error ?? .ended)) }
        }
        if session.hasEnded || reading.hasBeenCancelled { return fail(CancellationError()) }
        let place = { @Sendable (result: Result<RowsRequest.Part, any Error>, isKept: Bool) in
            if session.hasEnded { return fail(SessionError.ended) }
            let answer: StoreCompletion = { outcome in
                complete(outcome.isStored ? result : .failure(outcome.isLost ? SessionError.lost : .ended))
            }
            // The rows may have what isn't stored yet. Each change of rows in memory has a number.
            let committer = TurnCommitter(session: session)
            if isKept { committer.whenStored(answer) } else { committer.whenStateStored(answer) }
        }
        do {
            if try session.model.readKeptRows(request, of: session, { place($0, true) }) { return }
        } catch {
            return fail(ToldError.telling(error))
        }
        let executor = HandlerExecutor.make("rows of \(request.list)", of: session)
        reading.begin(
            Task.detached(executorPreference: executor ?? session.context.executor) {
                do {
                    try await session.model.readRows(request, of: session) { place($0, false) }
                } catch {
                    fail(ToldError.telling(error))
                }
            })
    }
}
