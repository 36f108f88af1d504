/// Buffers, and not slices of one, whose bounds take longer to check than a short message to cut out.
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
