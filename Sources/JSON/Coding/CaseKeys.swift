/// What `allKeys` has told of an enum's cases, to be told again: to ask the key type for a key and to make an array of
/// it takes 1,900 instructions, which was a seventh of the cost of decoding a short event.
final class CaseKeys {
    /// In memory of its own, where a look at it counts no reference.
    private struct Case {
        let kind: UnsafeMutableRawBufferPointer
        /// A `Keys` of the key type.
        let keys: Unmanaged<AnyObject>
    }

    private final class Keys<Key: CodingKey> {
        let keys: [Key]
        init(_ keys: [Key]) { self.keys = keys }
    }

    private static var maximumCount: Int { 64 }

    private let cases = TrivialStack<Case>(capacity: 4)

    deinit {
        for index in cases.indices {
            cases[index].kind.deallocate()
            cases[index].keys.release()
        }
        cases.deallocate()
    }

    /// - Parameter type: always the same one.
    @inline(__always)
    func keys<Key: CodingKey>(of type: Key.Type, kind: JSONStringText) -> [Key]? {
        for index in cases.indices where kind.isEqual(to: UnsafeRawBufferPointer(cases[index].kind)) {
            return unsafeDowncast(cases[index].keys.takeUnretainedValue(), to: Keys<Key>.self).keys
        }
        return nil
    }

    /// - Parameter keys: what the key type makes of `kind`, and would make of it again. Of larger types than an enum's
    ///   that isn't known.
    func keep<Key: CodingKey>(_ keys: [Key], kind: String) {
        guard MemoryLayout<Key>.size <= 1, cases.count < Self.maximumCount else { return }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: kind.utf8.count, alignment: 1)
        bytes.copyBytes(from: kind.utf8)
        cases.append(Case(kind: bytes, keys: .passRetained(Keys(keys))))
    }
}
