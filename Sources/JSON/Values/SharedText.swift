/// A long JSON text that many messages carry at once: each refers to it, and none has a copy.
///
/// Any thread may use it. Its memory is counted as long as anybody holds it.
package final class SharedText: Sendable {
    package let bytes: [UInt8]
    private let onRelease: @Sendable (_ byteCount: Int) -> Void

    /// - Parameter onRelease: called once, on any thread, when nobody holds the text any more. It must not block.
    package init(_ bytes: [UInt8], onRelease: @escaping @Sendable (_ byteCount: Int) -> Void = { _ in }) {
        self.bytes = bytes
        self.onRelease = onRelease
    }

    deinit {
        onRelease(bytes.count)
    }

    package var count: Int { bytes.count }
}
