extension JSONWriter {
    /// Text that stands in source, as it is; no comma is placed before it.
    ///
    /// Inlined, so that its length and bytes are constants: 10 instructions, where `raw` takes 60.
    @inlinable @inline(__always)
    package mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }
}
