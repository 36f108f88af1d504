/// What `allKeys` has told of an enum's cases, to be told again: to ask the key type for a key and to make an array of
/// it takes 1,900 instructions, which was a seventh of the cost of decoding a short event.
final class CaseKeys {
    private struct Case {
        let kind: String
        /// A `Keys` of the key type.
        let keys: AnyObject
    }

    private final class Keys<Key: CodingKey> {
        let keys: [Key]
        init(_ keys: [Key]) { self.keys = keys }
    }

    private static var maximumCount: Int { 64 }

    private var cases: [Case] = []

    /// - Parameter type: always the same one.
    @inline(__always)
    func keys<Key: CodingKey>(of type: Key.Type, kind: JSONStringText) -> [Key]? {
        guard let keys = keys(kind) else { return nil }
        return unsafeDowncast(keys, to: Keys<Key>.self).keys
    }

    private func keys(_ kind: JSONStringText) -> AnyObject? {
        for known in cases where kind.isEqual(to: known.kind) { return known.keys }
        return nil
    }

    /// - Parameter keys: what the key type makes of `kind`, and would make of it again. Of larger types than an enum's
    ///   that isn't known.
    func keep<Key: CodingKey>(_ keys: [Key], kind: String) {
        guard MemoryLayout<Key>.size <= 1, cases.count < Self.maximumCount else { return }
        cases.append(Case(kind: kind, keys: Keys(keys)))
    }
}
