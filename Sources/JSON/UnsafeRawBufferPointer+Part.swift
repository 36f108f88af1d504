extension UnsafeRawBufferPointer {
    /// The bytes from `start` up to `end`, both within this. Not checked, as slices are: every one here comes from a scan
    /// of these same bytes.
    @inline(__always)
    func part(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        guard let baseAddress else { return self }
        return UnsafeRawBufferPointer(start: baseAddress + start, count: end &- start)
    }
}
