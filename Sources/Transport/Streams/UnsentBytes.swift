/// Bytes that wait to be sent: appended at the back, sent from the front.
struct UnsentBytes {
    /// Sent bytes at the front are cut off when they are so many and more than what is left: each byte moves at most once.
    private static let compactedBytes = 64 * 1024

    private(set) var buffer: [UInt8] = []
    private var sentCount = 0

    var count: Int { buffer.count - sentCount }
    var isEmpty: Bool { count == 0 }

    /// Takes the buffer out, to be appended to and given back, so that whoever does it may do anything else in between; one
    /// of the pool's when there is none.
    mutating func takeBuffer(pool: inout BufferPool) -> [UInt8] {
        if buffer.capacity == 0 { return pool.take() }
        var taken: [UInt8] = []
        swap(&taken, &buffer)
        return taken
    }

    mutating func giveBack(_ appended: consuming [UInt8]) {
        precondition(buffer.isEmpty, "A stream was written to while it was written to")
        assert(appended.count >= sentCount, "A writer only appends")
        buffer = appended
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
