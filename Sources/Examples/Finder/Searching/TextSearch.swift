#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Synchronization

/// Finds a text in files.
package struct TextSearch: Sendable {
    /// Lines of a file, in order. A file with many has several of these, one after the other.
    package struct Found: Sendable {
        /// The batch that the file is in.
        package let batch: FileBatch
        /// The index of the file in its batch.
        package let index: Int
        /// At most 200, and at least one.
        package let lines: [MatchingLine]
    }

    /// Where an expression may match and isn't found.
    package struct LeftOut: Sendable, Equatable {
        /// How many lines, or parts of lines, would have taken too long.
        package var slowLines = 0
        /// How many lines are so long that they were searched in parts: what reaches over two of them isn't found.
        package var dividedLines = 0

        /// For tests.
        package init(slowLines: Int = 0, dividedLines: Int = 0) {
            (self.slowLines, self.dividedLines) = (slowLines, dividedLines)
        }

        /// Sentences for the user.
        var words: [String] {
            var words: [String] = []
            if slowLines > 0 {
                words.append(
                    slowLines == 1
                        ? "1 line was too long for this expression and is left out."
                        : "\(slowLines) lines were too long for this expression and are left out.")
            }
            if dividedLines > 0 {
                let lines = dividedLines == 1 ? "1 line has" : "\(dividedLines) lines have"
                words.append("\(lines) more than 64 KiB: what matches across two parts of that length isn't found.")
            }
            return words
        }

        static func += (left: inout Self, right: Self) {
            left.slowLines += right.slowLines
            left.dividedLines += right.dividedLines
        }
    }

    /// What was searched.
    package struct Summary: Sendable, Equatable {
        /// How many files were read.
        package var files = 0
        /// How many lines matched.
        package var lines = 0
        /// How many files were left out as they have a NUL at their beginning.
        package var binaries = 0
        /// How many files couldn't be read. Symbolic links are among them.
        package var unreadable = 0
        /// What wasn't searched of the files that were.
        package var leftOut = LeftOut()

        /// For tests.
        package init(
            files: Int = 0, lines: Int = 0, binaries: Int = 0, unreadable: Int = 0, leftOut: LeftOut = LeftOut()
        ) {
            (self.files, self.lines, self.binaries, self.unreadable) = (files, lines, binaries, unreadable)
            self.leftOut = leftOut
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

    /// Searches files, in threads of its own: they are blocked while the file system works, and held by expressions.
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
        let threads = (0..<max(1, tasks)).map { _ in SearchThread.start() }
        defer { for thread in threads { (thread as? SearchThread)?.end() } }
        return try await withThrowingTaskGroup(of: Summary.self) { group in
            group.addTask(executorPreference: threads[0]) { try await search(batches, on: threads, deliver) }
            return try await group.next() ?? Summary()
        }
    }

    private func search(
        _ batches: [FileBatch], on threads: [any TaskExecutor], _ deliver: @escaping @Sendable (Found) async -> Void
    ) async throws -> Summary {
        let folder = try RootFolder(root)
        let next = NextIndex()
        let query = query
        var summary = Summary()
        try await withThrowingTaskGroup(of: Summary.self) { group in
            for thread in threads {
                group.addTask(executorPreference: thread) {
                    try await Self.search(query, next, batches, below: folder, deliver: deliver)
                }
            }
            for try await part in group {
                summary.files += part.files
                summary.lines += part.lines
                summary.binaries += part.binaries
                summary.unreadable += part.unreadable
                summary.leftOut += part.leftOut
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
        summary.leftOut = search.leftOut
        return summary
    }
}

/// A thread that runs tasks one after the other, for work that doesn't suspend: a search holds it as long as it likes, and
/// the threads that all tasks of the process share stay free for others.
///
/// Any thread may use it. It is there until `end`.
private final class SearchThread: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isEnded = false
    }

    private let state = Mutex(State())
    // POSIX lets any thread use it between `init` and `deinit`, and whoever does holds a reference meanwhile.
    nonisolated(unsafe) private let ready = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    private init() {
        sem_init(ready, 0, 0)
    }

    deinit {
        sem_destroy(ready)
        ready.deallocate()
    }

    /// The pool that all tasks share, where the system has no thread to give.
    static func start() -> any TaskExecutor {
        let thread = SearchThread()
        var id = pthread_t()
        let context = Unmanaged.passRetained(thread)
        let code = pthread_create(
            &id, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<SearchThread>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return globalConcurrentExecutor
        }
        pthread_detach(id)
        return thread
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        sem_post(ready)
    }

    /// No task uses it any more.
    func end() {
        state.withLock { $0.isEnded = true }
        sem_post(ready)
    }

    private func run() {
        while true {
            while sem_wait(ready) != 0 {}
            let (jobs, isEnded) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isEnded)
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if isEnded { return }
        }
    }
}
