extension String {
    /// Copies text that was validated before, and mostly not looks at it again as `String(decoding:as:)` does: half of the
    /// work, and less of a long text.
    @inline(__always)
    init(validated text: UnsafeRawBufferPointer) {
        // Those that take no memory of their own are made fastest this way.
        if text.count <= 15 {
            self.init(unsafeUninitializedCapacity: text.count) { target in
                UnsafeMutableRawBufferPointer(target).copyMemory(from: text)
                return text.count
            }
        } else {
            self.init(long: text)
        }
    }

    @inline(never)
    private init(long text: UnsafeRawBufferPointer) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            self.init(decoding: text, as: UTF8.self)
            return
        }
        let bytes = text.assumingMemoryBound(to: UInt8.self)
        self.init(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: ByteScan.isASCII(text)))
    }
}
