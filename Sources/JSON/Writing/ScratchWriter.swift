/// Lends a writer for one call, from a few that all threads share, so that an idle connection keeps no memory for one.
package enum ScratchWriter {
    private final class Box: PooledCoder {
        @exclusivity(unchecked) var nextInPool: Unmanaged<Box>?
        // In memory of its own, so that the box needn't be counted while the writer is lent: it is known to one call only, until
        // it is put back.
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
    /// Memory that an idle writer keeps at most.
    private static let keptBytes = 16 << 10

    /// - Parameter body: gets an empty writer, whose text is forgotten afterwards. It may call this again, and gets
    ///   another one.
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
