extension DecodingTape {
    /// A value or a key. An object's entry is followed by one for the object's own bookkeeping, then key, value, key, value, …; an array's entry by its elements.
    struct Entry: BitwiseCopyable {
        /// Where the value starts in the text; of bookkeeping, the entry behind the member that was found last.
        var start: UInt32
        private var extent: UInt32

        /// The longest text that the two flags leave room for.
        static let maximumTextBytes = Int(lengthMask)

        private static let escapesFlag: UInt32 = 1 << 31
        private static let shadowedFlag: UInt32 = 1 << 30
        private static let lengthMask: UInt32 = (1 << 30) - 1

        init(start: Int, extent: Int, hasEscapes: Bool = false) {
            self.start = UInt32(truncatingIfNeeded: start)
            self.extent = UInt32(truncatingIfNeeded: extent) & Self.lengthMask | (hasEscapes ? Self.escapesFlag : 0)
        }

        /// Of strings and scalars: how many bytes of text. Of containers: the entry behind the last one inside.
        var length: Int {
            get { Int(extent & Self.lengthMask) }
            set { extent = extent & ~Self.lengthMask | UInt32(truncatingIfNeeded: newValue) & Self.lengthMask }
        }

        var offset: Int { Int(start) }

        /// Of strings and keys.
        var hasEscapes: Bool { extent & Self.escapesFlag != 0 }

        /// Of keys: whether a later member has the same name, so that this one doesn't count.
        var isShadowed: Bool {
            get { extent & Self.shadowedFlag != 0 }
            set { extent = newValue ? extent | Self.shadowedFlag : extent & ~Self.shadowedFlag }
        }

        /// Of keys: whether it has that many bytes, no escapes, and counts.
        @inline(__always)
        func isPlain(bytes: Int) -> Bool {
            Int(extent) == bytes
        }

        /// Of objects: whether there may be names that are the same, and nobody has looked yet.
        var mayHaveDuplicates: Bool {
            get { isShadowed }
            set { isShadowed = newValue }
        }

        /// Of bookkeeping while the object is read: a bit for each kind of name.
        var seenKeys: UInt64 {
            get { UInt64(start) << 32 | UInt64(extent) }
            set { (start, extent) = (UInt32(truncatingIfNeeded: newValue >> 32), UInt32(truncatingIfNeeded: newValue)) }
        }

        init(seenKeys: UInt64) {
            self.init(start: 0, extent: 0)
            self.seenKeys = seenKeys
        }
    }
}
