import JSON
@_spi(Reflection) import Swift

/// The stored properties of a struct or class, from the metadata that the compiler writes for `Mirror`.
enum StoredProperties {
    /// By name, as in the source; nil for any other type.
    static func of(_ type: any Any.Type) -> [String: any Any.Type]? {
        var properties: [String: any Any.Type] = [:]
        let note = { (label: UnsafePointer<CChar>, type: any Any.Type) in
            properties[CaseNames.plain(String(cString: label))] = type
            return true
        }
        let isStruct = _forEachField(of: type) { label, _, type, _ in note(label, type) }
        guard !isStruct || properties.isEmpty else { return properties }
        let isClass = _forEachField(of: type, options: _EachFieldOptions(rawValue: classes)) { label, _, type, _ in
            note(label, type)
        }
        return isStruct || isClass ? properties : nil
    }

    /// `_EachFieldOptions.classType`, which can't be named in Swift 6 as it is a `var`.
    private static let classes: UInt32 = 1

    /// Whether the compiler's `init(from:)` would ask for this member.
    static func agree(_ properties: [String: any Any.Type], with member: TypeShape.Member) -> Bool {
        // What a wrapper wraps is stored under another name, and read as the wrapper.
        if let wrapper = properties["_" + member.property], wrapper == member.type { return true }
        guard let type = properties[member.property] else { return false }
        guard member.isOptional else { return type == member.type }
        return (type as? any ContainerForm.Type).map { wrapped($0) == member.type } ?? false
    }

    private static func wrapped<C: ContainerForm>(_ type: C.Type) -> (any Any.Type)? { C.contents?.0 }
}
