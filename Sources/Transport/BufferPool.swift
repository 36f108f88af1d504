/// Buffers for unsent bytes, lent to the streams of one loop while they have some, so that a stream that is idle holds none
/// and a stream that writes allocates none.
struct BufferPool {
    /// So many streams that write in one turn are served without an allocation.
    private static let keptBuffers = 16
    /// A buffer that grew beyond this in a burst isn't kept.
    static let keptBytes = 128 * 1024

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
