import Queues

/// The lines that wait, by what they are found by; in the transcript's order.
struct LineIndex<Key: Hashable> {
    private var lines: [Key: Deque<Int>] = [:]

    func first(_ key: Key) -> Int? { lines[key]?.first }

    /// - Parameter offset: from the first.
    func line(_ key: Key, at offset: Int) -> Int? {
        guard let queue = lines[key], offset < queue.count else { return nil }
        return queue[offset]
    }

    mutating func append(_ line: Int, to key: Key) {
        lines[key, default: Deque()].append(line)
    }

    /// Takes lines from the front as long as they are done.
    mutating func removeFirst(of key: Key, while isDone: (Int) -> Bool) {
        while let first = lines[key]?.first, isDone(first) { _ = lines[key]?.popFirst() }
        if lines[key]?.isEmpty == true { lines[key] = nil }
    }
}
