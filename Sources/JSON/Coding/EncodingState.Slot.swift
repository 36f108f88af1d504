extension EncodingState {
    /// A place where one value goes: what an `Encoder` is for.
    struct Slot: BitwiseCopyable {
        enum Kind: BitwiseCopyable {
            /// Nothing was written yet. Closed like that it becomes `{}`, as Foundation's encoder has it.
            case pending
            case object, array, scalar
        }

        let serial: Int
        var kind: Kind
        /// Where in the writer the value begins.
        var start: Int
        /// Before the closing bracket, once closed.
        var end: Int?
        let parent: Int
        /// How many containers this one is in.
        let depth: Int
        /// Of an array: its elements.
        var count = 0

        init(serial: Int, kind: Kind, start: Int, parent: Int, depth: Int) {
            (self.serial, self.kind, self.start, self.parent, self.depth) = (serial, kind, start, parent, depth)
        }

        /// Of what is in it.
        var innerDepth: Int { kind == .object || kind == .array ? depth + 1 : depth }
    }

    /// A slot as containers hold it. Indices are used again, serials aren't.
    struct SlotReference {
        let index: Int
        let serial: Int

        /// Of a container that could not be made: whatever is written to it throws.
        static let dead = SlotReference(index: -1, serial: -1)
    }
}
