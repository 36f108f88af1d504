/// A cache of member names as text, with quotes and colon. Rows repeat the same names, and copying a text takes less than half
/// of the time of looking for characters to escape.
///
/// A name is found by the two words of its `String` in memory. While the cache retains a string, any other string with the same
/// words is equal to it. Equal strings may have different words; then the name isn't found.
///
/// Plain memory without reference counting, since each member passes here: the owner must call `deallocate` once.
struct MemberNames: BitwiseCopyable {
    private typealias Words = (UInt64, UInt64)

    private struct Name {
        var text: JSONWriter.ShortText = (0, 0, 0, 0)
        /// The length of the text in bytes; 0 for an empty place of the cache.
        var length = 0
        var words: Words = (0, 0)
        /// The string itself, retained so that no other string can get its words.
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

    /// Writes a member's name in an object that was begun, with a comma before it if one is due.
    @inline(__always)
    func write(_ name: String, to writer: UnsafeMutablePointer<JSONWriter>) {
        guard MemoryLayout<String>.size == MemoryLayout<Words>.size else { return writer.pointee.key(name) }
        let words = unsafeBitCast(name, to: Words.self)
        let place = names + Self.place(of: words)
        guard place.pointee.words == words, place.pointee.length > 0 else { return add(name, words, to: writer) }
        writer.pointee.member(&place.pointee.text, length: place.pointee.length)
    }

    /// Writes a name that isn't in the cache, and adds it.
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
