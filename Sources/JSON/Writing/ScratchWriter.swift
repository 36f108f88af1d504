/// Lends a writer for one call, from a few that all threads share, so that an idle connection keeps no memory for one.
package enum ScratchWriter {
    private final class Box: PooledCoder {
        @exclusivity(unchecked) var nextInPool: Unmanaged<Box>?
        // Needs no check for exclusivity: a box that was taken from the pool is known to one call only, until it is put
        // back.
        @exclusivity(unchecked) var writer = JSONWriter()
    }

    private static let boxes = CoderPool<Box>()
    /// Memory that an idle writer keeps at most.
    private static let keptBytes = 16 << 10

    /// - Parameter body: gets an empty writer, whose text is forgotten afterwards. It may call this again, and gets
    ///   another one.
    package static func with<R, E: Error>(_ body: (inout JSONWriter) throws(E) -> R) throws(E) -> R {
        let box = boxes.take() ?? Box()
        defer {
            box.writer.removeAll(keptCapacity: keptBytes)
            boxes.put(box)
        }
        return try body(&box.writer)
    }
}
