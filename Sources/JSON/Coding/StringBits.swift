/// A string's own bytes in memory, whatever they mean. While one of two strings is kept, the other one is equal to it if
/// it has the same, without a look at a character; the other way round that needn't be.
struct StringBits: BitwiseCopyable, Equatable {
    private let bits: (UInt64, UInt64)

    @inline(__always)
    init(_ string: String) {
        bits =
            MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size
            ? unsafeBitCast(string, to: (UInt64, UInt64).self) : (0, 0)
    }

    /// False where a string isn't two words.
    @inline(__always)
    static func == (left: StringBits, right: StringBits) -> Bool {
        MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size && left.bits == right.bits
    }
}
