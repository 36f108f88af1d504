/// Bytes that wait to be sent: appended at the back, sent from the front.
struct UnsentBytes {
    /// Sent bytes at the front are cut off when they are so many and more than what is left: each byte moves at most once.
    private static let compactedBytes = 64 * 1024

    private(set) var buffer: [UInt8] = []
    private var sentCount = 0

    var count: Int { buffer.count - sentCount }
    var isEmpty: Bool { count == 0 }

    /// Takes a buffer from the pool when it has none.
    mutating func append(pool: inout BufferPool, _ body: (inout [UInt8]) -> Void) {
        if buffer.capacity == 0 { buffer = pool.take() }
        body(&buffer)
        assert(buffer.count >= sentCount, "A writer only appends")
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sentCount...])) }
    }

    /// `count` bytes more are sent.
    mutating func drop(_ count: Int, pool: inout BufferPool) {
        sentCount += count
        if sentCount >= buffer.count {
            removeAll(pool: &pool)
        } else if sentCount >= Self.compactedBytes, sentCount > buffer.count - sentCount {
            buffer.removeSubrange(..<sentCount)
            sentCount = 0
        }
    }

    mutating func removeAll(pool: inout BufferPool) {
        sentCount = 0
        guard buffer.capacity > 0 else { return }
        var emptied: [UInt8] = []
        swap(&buffer, &emptied)
        pool.giveBack(emptied)
    }
}
