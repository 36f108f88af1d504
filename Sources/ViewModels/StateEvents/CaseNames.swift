/// Reads the names of an enum's cases from the metadata that the compiler writes for `Mirror` and `print`.
///
/// The language has no way to ask for them. The layout is part of Swift's stable ABI (docs/ABI/TypeMetadata.rst and
/// include/swift/RemoteInspection/Records.h in the Swift repository); it is the same in debug and release builds and with
/// either standard library. A type has no names where the program was built without this metadata, or the metadata isn't as
/// described.
package enum CaseNames {
    /// Returns the names of all cases: first those with associated values, then the others, each in order of declaration. Nil
    /// where `type` isn't an enum, or its names aren't in the program.
    package static func names(of type: any Any.Type) -> [String]? { read(type)?.names }

    /// Returns the names of cases without associated values, in order of declaration. Nil as for `names(of:)`, and where any
    /// case has associated values.
    package static func plainNames(of type: any Any.Type) -> [String]? {
        read(type).flatMap { $0.payloads == 0 ? $0.names : nil }
    }

    /// Whether a type is a struct, as its metadata says in the same place.
    static func isStruct(_ type: any Any.Type) -> Bool {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(as: UInt.self) == Metadata.structKind
    }

    private static func read(_ type: any Any.Type) -> (names: [String], payloads: Int)? {
        // A metatype of a concrete type is the address of its metadata, which exists as long as the process.
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: UInt.self) == Metadata.enumKind else { return nil }
        let descriptor = metadata.load(fromByteOffset: Metadata.descriptor, as: UnsafeRawPointer.self)
        guard descriptor.load(as: UInt32.self) & Descriptor.kindMask == Descriptor.enumKind,
            let fields = follow(descriptor + Descriptor.fields)
        else { return nil }
        let kind = fields.load(fromByteOffset: Fields.kind, as: UInt16.self)
        let size = Int(fields.load(fromByteOffset: Fields.recordSize, as: UInt16.self))
        guard Fields.enumKinds.contains(kind), size == Fields.expectedRecordSize else { return nil }
        let count = Int(fields.load(fromByteOffset: Fields.count, as: UInt32.self))
        // The descriptor counts the cases, too: that both numbers agree is no accident.
        let payloads = Int(descriptor.load(fromByteOffset: Descriptor.payloadCases, as: UInt32.self) & 0xFF_FFFF)
        let others = Int(descriptor.load(fromByteOffset: Descriptor.emptyCases, as: UInt32.self))
        guard count == payloads + others else { return nil }
        let names = (0..<count).map { name(in: fields + Fields.records + $0 * size) }
        return names.contains("") ? nil : (names, payloads)
    }

    /// Returns the name in a record; empty where the record has none.
    private static func name(in record: UnsafeRawPointer) -> String {
        guard let name = follow(record + Fields.name) else { return "" }
        return plain(String(cString: name.assumingMemoryBound(to: CChar.self)))
    }

    /// Returns a name as in the source. In the metadata, a raw identifier (SE-0451) is in quotes, and its blanks, the only
    /// white space that it may have, are U+00A0.
    package static func plain(_ name: String) -> String {
        guard name.first == "`" else { return name }
        return String(name.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 })
    }

    /// Returns the address that is stored as its distance from `place`; nil when the distance is 0.
    private static func follow(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = place.load(as: Int32.self)
        return distance == 0 ? nil : place + Int(distance)
    }
}

/// The layout of `TargetEnumMetadata`, in bytes, and the kinds of `MetadataKind.def`.
private enum Metadata {
    static let structKind: UInt = 0x200
    static let enumKind: UInt = 0x201
    static let descriptor = MemoryLayout<UInt>.size
}

/// The layout of `TargetEnumDescriptor`, in bytes.
private enum Descriptor {
    static let kindMask: UInt32 = 0x1F
    static let enumKind: UInt32 = 18
    static let fields = 16
    static let payloadCases = 20
    static let emptyCases = 24
}

/// The layout of `FieldDescriptor` and of the `FieldRecord`s after it, in bytes.
private enum Fields {
    static let kind = 8
    static let enumKinds: ClosedRange<UInt16> = 2...3
    static let recordSize = 10
    static let expectedRecordSize = 12
    static let count = 12
    static let records = 16
    static let name = 8
}
/// The values of an enum without associated values that doesn't conform to `CaseIterable`, as the compiler's
/// `CodingKeys` don't.
package enum PlainCases {
    /// Returns each case with its name, in order of declaration; nil when `type` is no such enum, or its names aren't in the
    /// program.
    ///
    /// Such an enum is stored as the number of its case, in the smallest integer that holds all numbers; with a single case it
    /// takes no bytes (docs/ABI/TypeLayout.rst in the Swift repository, "Fragile Enum Layout"). A caller that can ask the type
    /// itself, by a raw value or a key's name, should compare.
    package static func all<E>(of type: E.Type) -> [(name: String, value: E)]? {
        guard let names = CaseNames.plainNames(of: type), _isPOD(type) else { return nil }
        switch (names.count, MemoryLayout<E>.size) {
        case (1, 0), (2...0x100, 1), (0x101...0x10000, 2): break
        case (0, 0): return []
        default: return nil
        }
        return withUnsafeTemporaryAllocation(byteCount: 2, alignment: 2) { place in
            names.enumerated().map { number, name in
                // An integer has the machine's own byte order.
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

/// The cases of a type's `CodingKeys`, with their names in Swift.
package enum KeyNames {
    /// Returns the names and keys of all cases, in order of declaration.
    ///
    /// Nil where the keys aren't an enum that works as the compiler's `CodingKeys` do: each key has a string value of its own,
    /// from which the type makes that key again.
    package static func all<Key: CodingKey>(of type: Key.Type) -> [(name: String, key: Key)]? {
        guard let cases = PlainCases.all(of: type) else { return nil }
        // The type itself must agree.
        let areKeys = cases.allSatisfy { _, key in
            Key(stringValue: key.stringValue).map { $0.stringValue == key.stringValue } ?? false
        }
        let names = Set(cases.map { $0.value.stringValue })
        return areKeys && names.count == cases.count ? cases.map { ($0.name, $0.value) } : nil
    }
}
