/// Member names that were written before, as they stand in a text: to copy one takes 30 instructions where to look at
/// its characters takes 150, and rows have the same ones again and again.
///
/// A reference that is copied freely and not counted; whoever made it must call `deallocate` once.
struct MemberNames: BitwiseCopyable {
    private struct Name {
        var text: JSONWriter.ShortText
        let bits: StringBits
        /// Of the text, in bytes.
        let length: Int
        /// Kept, so that no other string can come to have its bits.
        let name: String
    }

    private struct Storage {
        var names: UnsafeMutablePointer<Name>?
        var count = 0
        /// Names are looked for behind the one that was written last, since types mostly write them in the same order.
        var next = 0
    }

    private static var maximumCount: Int { 16 }

    private let storage: UnsafeMutablePointer<Storage>

    /// Has none.
    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage())
    }

    func deallocate() {
        storage.pointee.names?.deinitialize(count: storage.pointee.count)
        storage.pointee.names?.deallocate()
        storage.deallocate()
    }

    /// Writes a member's name, in an object in which the writer is. The first one has none before it.
    @inline(__always)
    func write(_ name: String, to writer: UnsafeMutablePointer<JSONWriter>) {
        let next = storage.pointee.next
        guard let names = storage.pointee.names, names[next].bits == StringBits(name) else {
            return writeOther(name, to: writer)
        }
        writer.pointee.member(&names[next].text, length: names[next].length)
        storage.pointee.next = next &+ 1 == storage.pointee.count ? 0 : next &+ 1
    }

    @inline(never)
    private func writeOther(_ name: String, to writer: UnsafeMutablePointer<JSONWriter>) {
        let bits = StringBits(name)
        if let names = storage.pointee.names,
            let known = (0..<storage.pointee.count).first(where: { names[$0].bits == bits })
        {
            writer.pointee.member(&names[known].text, length: names[known].length)
            storage.pointee.next = (known + 1) % storage.pointee.count
            return
        }
        writer.pointee.beginValue()
        let start = writer.pointee.count
        writer.pointee.key(name)
        writer.pointee.withUnsafeBytes { text in
            keep(name, bits, UnsafeRawBufferPointer(rebasing: text[start...]))
        }
    }

    private func keep(_ name: String, _ bits: StringBits, _ text: UnsafeRawBufferPointer) {
        var copy: JSONWriter.ShortText = (0, 0, 0, 0)
        let count = storage.pointee.count
        guard text.count <= MemoryLayout<JSONWriter.ShortText>.size, count < Self.maximumCount else { return }
        withUnsafeMutableBytes(of: &copy) { $0.copyMemory(from: text) }
        let names = storage.pointee.names ?? .allocate(capacity: Self.maximumCount)
        (names + count).initialize(to: Name(text: copy, bits: bits, length: text.count, name: name))
        storage.pointee = Storage(names: names, count: count + 1, next: 0)
    }
}
