/// A long JSON text that many messages include: each refers to it instead of having a copy.
///
/// Any thread may use it. Its memory counts until nobody refers to it.
package final class SharedText: Sendable {
    package let bytes: [UInt8]
    private let onRelease: @Sendable (_ byteCount: Int) -> Void

    /// Wraps the bytes of a text.
    ///
    /// - Parameter onRelease: called once, on any thread, when nobody refers to the text any more. It must not block.
    package init(_ bytes: [UInt8], onRelease: @escaping @Sendable (_ byteCount: Int) -> Void = { _ in }) {
        self.bytes = bytes
        self.onRelease = onRelease
    }

    deinit {
        onRelease(bytes.count)
    }

    package var count: Int { bytes.count }
}
