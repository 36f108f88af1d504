import JSON

/// The keys of a type's `CodingKeys`, with their names in Swift.
enum KeyNames {
    /// In order of declaration; nil where they aren't an enum's, as the compiler makes and takes them.
    static func all<Key: CodingKey>(of type: Key.Type) -> [(name: String, key: Key)]? {
        guard let cases = PlainCases.all(of: type) else { return nil }
        // The type itself must agree.
        let areKeys = cases.allSatisfy { _, key in
            Key(stringValue: key.stringValue).map { $0.stringValue == key.stringValue } ?? false
        }
        let names = Set(cases.map { $0.value.stringValue })
        return areKeys && names.count == cases.count ? cases.map { ($0.name, $0.value) } : nil
    }
}
