/// A writer for the length of a call, from a few that all threads share: who writes now and then keeps none. A connection
/// that kept its own took half a kilobyte more.
package enum ScratchWriter {
    private final class Box {
        /// Not checked for exclusivity: 190 instructions less each time. A box that was taken from the pool is known to one
        /// call alone, and to no other thread or call before it is put back.
        @exclusivity(unchecked) var writer = JSONWriter()
    }

    private static let boxes = CoderPool<Box>()
    /// What an idle writer keeps of the memory that a large text took.
    private static let keptBytes = 16 << 10

    /// - Parameter body: gets the writer empty; what it leaves in it is forgotten. It may call this again, and gets another one.
    package static func with<R, E: Error>(_ body: (inout JSONWriter) throws(E) -> R) throws(E) -> R {
        let box = boxes.take() ?? Box()
        defer {
            box.writer.removeAll(keptCapacity: keptBytes)
            boxes.put(box)
        }
        return try body(&box.writer)
    }
}
