/// Parts of a buffer as buffers: to check the bounds of a slice would take longer than to cut out a short message.
extension UnsafeRawBufferPointer {
    func prefix(upTo end: Int) -> UnsafeRawBufferPointer {
        precondition(0...count ~= end)
        return UnsafeRawBufferPointer(start: baseAddress, count: end)
    }

    func suffix(from start: Int) -> UnsafeRawBufferPointer {
        precondition(0...count ~= start)
        return UnsafeRawBufferPointer(start: baseAddress.map { $0 + start }, count: count - start)
    }
}
