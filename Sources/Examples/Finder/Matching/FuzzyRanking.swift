import Synchronization

/// The best of many files by how well their paths match a pattern, and how many match.
///
/// Files that are found later can be added. It keeps no more than the best ones.
package struct FuzzyRanking: Sendable {
    /// A file that matches.
    package struct Entry: Sendable {
        /// How well it matches.
        package let rank: FuzzyRank
        /// The batch that the file is in.
        package let batch: FileBatch
        /// The index of the file in its batch.
        package let index: Int

        /// Files that match equally well are in the order of their paths.
        fileprivate func isBetter(than other: Entry) -> Bool {
            if rank != other.rank { return rank < other.rank }
            return batch.path(at: index, precedes: other.batch, at: other.index)
        }
    }

    /// How many files are kept.
    package let limit: Int
    /// How many files match.
    package private(set) var total = 0
    private var matcher: FuzzyMatcher
    /// The files of each batch that match.
    private var matches: [ObjectIdentifier: Matches] = [:]
    /// The files of each batch that may match; of a batch that isn't there all may.
    private let candidates: [ObjectIdentifier: Matches]
    /// A heap with the worst of the best files on top.
    private var heap: [Entry] = []

    /// Some files of a batch, which lives as long as they do: another one could have its identity else.
    private struct Matches: Sendable {
        let batch: FileBatch
        var indexes: [UInt32]
    }

    /// A ranking of no files yet.
    ///
    /// - Parameter earlier: another ranking of files. Where this pattern goes on from that one's, as with each key that is
    ///   typed, only what matched there is looked at again.
    package init(_ pattern: FuzzyPattern, limit: Int, after earlier: FuzzyRanking? = nil) {
        self.limit = max(0, limit)
        matcher = FuzzyMatcher(pattern)
        candidates = earlier.flatMap { pattern.goesOn(from: $0.pattern) ? $0.matches : nil } ?? [:]
    }

    /// What files are matched with.
    package var pattern: FuzzyPattern { matcher.pattern }

    /// The best files, the best one first. This sorts them.
    package var best: [Entry] { heap.sorted { $0.isBetter(than: $1) } }

    /// Adds files. A batch takes about a millisecond. In a task that is cancelled it may add only some.
    package mutating func add(_ batch: FileBatch) {
        let key = ObjectIdentifier(batch)
        var found = Matches(batch: batch, indexes: [])
        defer { matches[key] = found }
        if let few = candidates[key] {
            match(few.indexes.lazy.map(Int.init), of: batch, into: &found)
        } else {
            match(0..<batch.count, of: batch, into: &found)
        }
    }

    private mutating func match(_ indexes: some Sequence<Int>, of batch: FileBatch, into found: inout Matches) {
        var folder: UInt16?
        batch.withBytes { bytes in
            for index in indexes {
                // A long pattern takes its time; what was added of a cancelled task is thrown away.
                if index.isMultiple(of: 256), Task.isCancelled { return }
                let file = batch.files[index]
                guard matcher.mayMatch(file.characters) else { continue }
                if !pattern.isEmpty, file.folder != folder {
                    matcher.text.set(folder: bytes[batch.folders[Int(file.folder)].range])
                    folder = file.folder
                }
                if !pattern.isEmpty { matcher.text.set(name: bytes[file.range]) }
                guard let rank = matcher.match() else { continue }
                total += 1
                found.indexes.append(UInt32(clamping: index))
                if limit > 0, heap.count == limit, heap[0].rank < rank { continue }
                keep(Entry(rank: rank, batch: batch, index: index))
            }
        }
    }

    /// Adds files, with both of two cores, off the caller's executor.
    ///
    /// - Throws: `CancellationError` soon after the task is cancelled; nothing was added then.
    package mutating func add(_ batches: [FileBatch], tasks: Int = 2) async throws {
        let next = NextIndex()
        var empty = self
        (empty.heap, empty.matches, empty.total) = ([], [:], 0)
        let parts = try await withThrowingTaskGroup(of: FuzzyRanking.self) { group in
            for _ in 0..<max(1, min(tasks, batches.count)) {
                // A handler's executor is its client's loop, which has other work.
                group.addTask(executorPreference: globalConcurrentExecutor) { [empty] in
                    var part = empty
                    while let batch = next.take(of: batches) {
                        try Task.checkCancellation()
                        part.add(batch)
                        // The threads there are everybody's.
                        await Task.yield()
                    }
                    return part
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try Task.checkCancellation()
        for part in parts {
            total += part.total
            matches.merge(part.matches) { $1 }
            for entry in part.heap { keep(entry) }
        }
    }

    private mutating func keep(_ entry: Entry) {
        if heap.count < limit {
            heap.append(entry)
            siftUp()
        } else if let worst = heap.first, entry.isBetter(than: worst) {
            heap[0] = entry
            siftDown()
        }
    }

    private mutating func siftUp() {
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[parent].isBetter(than: heap[index]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            var worst = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[worst].isBetter(than: heap[child]) {
                worst = child
            }
            guard worst != index else { return }
            heap.swapAt(index, worst)
            index = worst
        }
    }
}

/// Hands out the elements of an array to several tasks.
final class NextIndex: Sendable {
    private let next = Atomic(0)

    func take(of batches: [FileBatch]) -> FileBatch? {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < batches.count ? batches[index] : nil
    }
}
