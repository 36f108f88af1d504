/// The values of an enum without associated values, where its type doesn't list them: `CaseIterable` is for who writes the
/// enum to declare, and the compiler's `CodingKeys` never do.
package enum PlainCases {
    /// Each case with its name, in order of declaration; nil when `type` is no such enum, or its names aren't in the program.
    ///
    /// Such an enum is stored as the number of its case in the smallest integer that holds them all, in nothing where there
    /// is but one: docs/ABI/TypeLayout.rst in the Swift repository, "Fragile Enum Layout". Whoever can ask the type itself
    /// (by a raw value, or a key's name) should hold it against what stands here.
    package static func all<E>(of type: E.Type) -> [(name: String, value: E)]? {
        guard let names = CaseNames.plainNames(of: type), _isPOD(type) else { return nil }
        switch (names.count, MemoryLayout<E>.size) {
        case (1, 0), (2...0x100, 1), (0x101...0x10000, 2): break
        case (0, 0): return []
        default: return nil
        }
        return withUnsafeTemporaryAllocation(byteCount: 2, alignment: 2) { place in
            names.enumerated().map { number, name in
                // The machine's own byte order; in one byte, the number is that byte.
                if MemoryLayout<E>.size == 1 {
                    place.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
                } else {
                    place.storeBytes(of: UInt16(truncatingIfNeeded: number), as: UInt16.self)
                }
                return (name, place.load(as: E.self))
            }
        }
    }
}
