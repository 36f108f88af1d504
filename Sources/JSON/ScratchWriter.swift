/// A writer for the length of a call, from a few that all threads share: who writes now and then keeps none. A connection
/// that kept its own took half a kilobyte more.
package enum ScratchWriter {
    /// In memory of its own, as each access to a class's property is checked for exclusivity: 150 instructions a call.
    private final class Box {
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
    /// What an idle writer keeps of the memory that a large text took.
    private static let keptBytes = 16 << 10

    /// - Parameter body: gets the writer empty; what it leaves in it is forgotten. It may call this again, and gets another one.
    package static func with<R, E: Error>(_ body: (inout JSONWriter) throws(E) -> R) throws(E) -> R {
        let box = boxes.take() ?? Box()
        defer {
            box.writer.pointee.removeAll(keptCapacity: keptBytes)
            boxes.put(box)
        }
        return try body(&box.writer.pointee)
    }
}
