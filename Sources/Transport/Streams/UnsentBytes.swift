/// Bytes that wait to be sent: appended at the back, sent from the front.
struct UnsentBytes {
    /// The least number of sent bytes at the front that is cut off, and only when it is more than the rest. So each byte
    /// moves at most once.
    private static let compactedBytes = 64 * 1024

    private var buffer: [UInt8] = []
    private var sentCount = 0

    var count: Int { buffer.count - sentCount }
    var isEmpty: Bool { count == 0 }

    /// Takes the buffer out, so that the caller can append to it and do anything else before giving it back. Where there is
    /// no buffer, it comes from the pool.
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

    /// Removes `count` bytes, which were sent, from the front.
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

/// Buffers for unsent bytes, lent to the streams of one loop while they have some. So an idle stream has no buffer, and a
/// stream that writes allocates none.
struct BufferPool {
    /// The most buffers that are kept: so many streams can write in one turn without an allocation.
    private static let keptBuffers = 16
    /// The capacity in bytes beyond which a buffer, having grown in a burst, isn't kept.
    private static let keptBytes = 128 * 1024

    private var buffers: [[UInt8]] = []

    mutating func take() -> [UInt8] {
        buffers.popLast() ?? []
    }

    mutating func giveBack(_ buffer: consuming [UInt8]) {
        guard buffers.count < Self.keptBuffers, buffer.capacity > 0, buffer.capacity <= Self.keptBytes else { return }
        buffer.removeAll(keepingCapacity: true)
        buffers.append(buffer)
    }
}
