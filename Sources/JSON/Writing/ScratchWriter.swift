/// A pool of writers that all threads share, each lent for one call, so that an idle connection keeps no memory for one.
package enum ScratchWriter {
    private final class Box: PooledCoder {
        @exclusivity(unchecked) var nextInPool: Unmanaged<Box>?
        // In memory of its own, so that the box isn't retained while the writer is lent: only one call knows the box until it
        // is put back.
        let writer = UnsafeMutablePointer<JSONWriter>.allocate(capacity: 1)

        init() {
            writer.initialize(to: JSONWriter())
        }

        deinit {
            writer.deinitialize(count: 1)
            writer.deallocate()
        }
    }

    private static let boxes = CoderPool<Box>()
    /// The most memory that an idle writer keeps, in bytes.
    private static let keptBytes = 16 << 10

    /// Calls `body` with an empty writer.
    ///
    /// - Parameter body: writes a text that is forgotten afterwards. It may call this function again, and gets another writer.
    package static func with<R, E: Error>(_ body: (inout JSONWriter) throws(E) -> R) throws(E) -> R {
        let box = boxes.take() ?? .passRetained(Box())
        let writer = box._withUnsafeGuaranteedRef { $0.writer }
        defer {
            writer.pointee.removeAll(keptCapacity: keptBytes)
            boxes.put(box)
        }
        return try body(&writer.pointee)
    }
}
