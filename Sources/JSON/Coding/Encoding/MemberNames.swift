/// Member names as they are in a text, quotes and colon included. Rows have the same ones again and again, and to copy
/// one takes less than half of the time that it takes to look at its characters: kept for that.
///
/// A name is found by its string's own two words in memory. While one of two strings is kept, the other one is equal to
/// it if it has the same; the other way round that needn't be.
///
/// Not counted, on the way of each member: `deallocate` must be called once.
struct MemberNames: BitwiseCopyable {
    private typealias Words = (UInt64, UInt64)

    private struct Name {
        var text: JSONWriter.ShortText = (0, 0, 0, 0)
        /// The length of the text in bytes; 0 where there is none.
        var length = 0
        var words: Words = (0, 0)
        /// Kept, so that no other string can come to have its words.
        var name = ""
    }

    private static var capacity: Int { 64 }

    private let names: UnsafeMutablePointer<Name>

    init() {
        names = .allocate(capacity: Self.capacity)
        names.initialize(repeating: Name(), count: Self.capacity)
    }

    func deallocate() {
        names.deinitialize(count: Self.capacity)
        names.deallocate()
    }

    /// Writes a member's name, in an object that was begun; a comma before it where one is due.
    @inline(__always)
    func write(_ name: String, to writer: UnsafeMutablePointer<JSONWriter>) {
        guard MemoryLayout<String>.size == MemoryLayout<Words>.size else { return writer.pointee.key(name) }
        let words = unsafeBitCast(name, to: Words.self)
        let place = names + Self.place(of: words)
        guard place.pointee.words == words, place.pointee.length > 0 else { return add(name, words, to: writer) }
        writer.pointee.member(&place.pointee.text, length: place.pointee.length)
    }

    /// A name that wasn't written before, or has lost its place to another one.
    @inline(never)
    private func add(_ name: String, _ words: Words, to writer: UnsafeMutablePointer<JSONWriter>) {
        writer.pointee.beginValue()
        let start = writer.pointee.count
        writer.pointee.key(name)
        let length = writer.pointee.count - start
        guard length <= MemoryLayout<JSONWriter.ShortText>.size else { return }
        var kept = Name(length: length, words: words, name: name)
        writer.pointee.withUnsafeBytes { bytes in
            withUnsafeMutableBytes(of: &kept.text) {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
        }
        names[Self.place(of: words)] = kept
    }

    @inline(__always)
    private static func place(of words: Words) -> Int {
        Int(truncatingIfNeeded: ((words.0 ^ words.1 &* 31) &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }
}
