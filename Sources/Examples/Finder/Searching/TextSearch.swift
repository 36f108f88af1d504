/// Finds a text in files.
package struct TextSearch: Sendable {
    /// Lines of a file, in order. A file with many has several of these, one after the other.
    package struct Found: Sendable {
        /// The batch that the file is in.
        package let batch: FileBatch
        /// Of the file in its batch.
        package let index: Int
        /// At most 200, and at least one.
        package let lines: [MatchingLine]
    }

    /// What was searched.
    package struct Summary: Sendable, Equatable {
        /// How many files were read.
        package var files = 0
        /// How many lines matched.
        package var lines = 0
        /// How many files were left out as they have a NUL at their beginning.
        package var binaries = 0
        /// How many files couldn't be read, as links can't.
        package var unreadable = 0

        /// For tests.
        package init(files: Int = 0, lines: Int = 0, binaries: Int = 0, unreadable: Int = 0) {
            (self.files, self.lines, self.binaries, self.unreadable) = (files, lines, binaries, unreadable)
        }
    }

    /// What is looked for.
    package let query: TextQuery
    /// The folder that the files are in.
    package let root: String

    /// Nothing is read before `run`.
    package init(_ query: TextQuery, below root: String) {
        self.query = query
        self.root = root
    }

    /// Searches files, off the caller's executor: its threads are blocked while the file system works.
    ///
    /// - Parameters:
    ///   - tasks: how many search at the same time.
    ///   - deliver: is given what is found in a file as soon as it is, by several tasks at once. While it waits, its task
    ///     searches no more.
    /// - Throws: `FileScan.UnreadableRoot`, or `CancellationError` soon after the task is cancelled.
    @discardableResult
    package func run(
        _ batches: [FileBatch], tasks: Int = 2, deliver: @escaping @Sendable (Found) async -> Void
    ) async throws -> Summary {
        try await withThrowingTaskGroup(of: Summary.self) { group in
            // A handler's executor is its client's loop, which has other work.
            group.addTask(executorPreference: globalConcurrentExecutor) {
                try await search(batches, tasks: tasks, deliver)
            }
            return try await group.next() ?? Summary()
        }
    }

    private func search(
        _ batches: [FileBatch], tasks: Int, _ deliver: @escaping @Sendable (Found) async -> Void
    ) async throws -> Summary {
        let folder = try RootFolder(root)
        let next = NextIndex()
        let query = query
        var summary = Summary()
        try await withThrowingTaskGroup(of: Summary.self) { group in
            for _ in 0..<max(1, tasks) {
                group.addTask {
                    try await Self.search(query, next, batches, below: folder, deliver: deliver)
                }
            }
            for try await part in group {
                summary.files += part.files
                summary.lines += part.lines
                summary.binaries += part.binaries
                summary.unreadable += part.unreadable
            }
        }
        try Task.checkCancellation()
        return summary
    }

    private static func search(
        _ query: TextQuery, _ next: NextIndex, _ batches: [FileBatch], below root: RootFolder,
        deliver: @Sendable (Found) async -> Void
    ) async throws -> Summary {
        var search = try FileSearch(query)
        var summary = Summary()
        while let batch = next.take(of: batches) {
            for index in 0..<batch.count {
                var count = 0
                let outcome = try await search.search(batch.path(at: index), below: root) { lines in
                    count += lines.count
                    await deliver(Found(batch: batch, index: index, lines: lines))
                }
                summary.lines += count
                switch outcome {
                case .searched: summary.files += 1
                case .binary: summary.binaries += 1
                case .unreadable: summary.unreadable += 1
                }
            }
        }
        return summary
    }
}
